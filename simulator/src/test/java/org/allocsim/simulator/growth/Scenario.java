package org.allocsim.simulator.growth;

import java.util.SplittableRandom;
import org.allocsim.simulator.policy.RandomTraces;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;

/** Traces of any length that each stress one thing. */
enum Scenario {
  /** A few live blocks of many sizes. */
  STEADY {
    @Override
    void fill(AllocationTrace.Builder trace, int rows) {
      SplittableRandom random = new SplittableRandom(1);
      int[] live = new int[64];
      for (int i = 0; i < rows / 2; i++) {
        int at = i % live.length;
        if (i >= live.length) {
          trace.free(live[at]);
        }
        live[at] = trace.allocate(512L * (1 + random.nextInt(4000)), 0, PoolId.DEFAULT);
      }
    }
  },
  /** Every other of many blocks is free. */
  FRAGMENTED {
    @Override
    void fill(AllocationTrace.Builder trace, int rows) {
      fragments(trace, rows / 2);
      for (int i = 0; i < rows / 4; i++) {
        trace.allocate(512L * (1 + i % 1500), 0, PoolId.DEFAULT);
      }
    }
  },
  /** One block that all streams use. */
  USED_BY_ALL {
    @Override
    void fill(AllocationTrace.Builder trace, int rows) {
      int block = trace.allocate(4096, 0, PoolId.DEFAULT);
      for (int i = 0; i < rows / 2; i++) {
        trace.useStream(block, 1 + i, i);
      }
      trace.free(block);
      for (int i = rows / 2 - 1; i >= 0; i--) {
        trace.useComplete(block, 1 + i);
        trace.free(trace.allocate(512, 0, PoolId.DEFAULT));
      }
    }
  },
  /** Many blocks that another stream uses, and finishes in the wrong order. */
  USES {
    @Override
    void fill(AllocationTrace.Builder trace, int rows) {
      int[] blocks = new int[rows / 4];
      for (int i = 0; i < blocks.length; i++) {
        blocks[i] = trace.allocate(512L * (1 + i % 100), 0, PoolId.DEFAULT);
        trace.useStream(blocks[i], 1, i);
        trace.free(blocks[i]);
      }
      for (int i = blocks.length - 1; i >= 0; i--) {
        trace.useComplete(blocks[i]);
        trace.allocate(512, 0, PoolId.DEFAULT);
      }
    }
  },
  /** A stream for each block. */
  STREAMS {
    @Override
    void fill(AllocationTrace.Builder trace, int rows) {
      int[] blocks = new int[rows / 2];
      for (int i = 0; i < blocks.length; i++) {
        blocks[i] = trace.allocate(4096, i, PoolId.DEFAULT);
      }
      for (int block : blocks) {
        trace.free(block);
      }
    }
  },
  /** Requests that no device holds, among many free blocks. */
  REFUSED {
    @Override
    void fill(AllocationTrace.Builder trace, int rows) {
      fragments(trace, rows / 2);
      for (int i = 0; i < rows / 4; i++) {
        trace.allocate(1L << 45, 0, PoolId.DEFAULT);
      }
    }
  },
  /** The cache is emptied again and again, though little of it can go. */
  EMPTIED {
    @Override
    void fill(AllocationTrace.Builder trace, int rows) {
      fragments(trace, rows / 2);
      for (int i = 0; i < rows / 4; i++) {
        trace.emptyCache();
      }
    }
  },
  /** Waits for the device while many frees wait for other streams. */
  SYNCHRONIZED {
    @Override
    void fill(AllocationTrace.Builder trace, int rows) {
      for (int i = 0; i < rows / 4; i++) {
        int block = trace.allocate(512L * (1 + i % 100), 0, PoolId.DEFAULT);
        trace.useStream(block, 1, i);
        trace.free(block);
        trace.synchronize();
      }
    }
  },
  /** A private pool for each block. */
  POOLS {
    @Override
    void fill(AllocationTrace.Builder trace, int rows) {
      int pools = rows / 4;
      for (int i = 0; i < pools; i++) {
        trace.free(trace.allocate(4096, 0, new PoolId(1, i)));
      }
      for (int i = 0; i < pools; i++) {
        trace.releasePool(new PoolId(1, i));
        trace.emptyPool(new PoolId(1, i));
      }
    }
  };

  private static void fragments(AllocationTrace.Builder trace, int rows) {
    int[] blocks = new int[2 * rows / 3];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = trace.allocate(512L * (1 + i % 900), 0, PoolId.DEFAULT);
    }
    for (int i = 0; i < blocks.length; i += 2) {
      trace.free(blocks[i]);
    }
  }

  abstract void fill(AllocationTrace.Builder trace, int rows);

  /** The trace of about so many rows. */
  AllocationTrace trace(int rows) {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    fill(trace, rows);
    return RandomTraces.build(trace);
  }
}
