package org.allocsim.workloads.program;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;

/**
 * A program that asks an allocator at random, to find requests that a simulation of it serves
 * otherwise than the real one. The seed also draws what kind of program it is: sizes (small, large,
 * mixed, a few fixed ones, the edges of rounding and of size classes), lifetimes (random, last in
 * first out, first in first out), how much lives at a time, one to four streams with uses on other
 * streams, private pools, bursts of equal requests, emptied caches, snapshots.
 *
 * <p>A use on another stream has finished before the next allocation, as the program waits for the
 * device; or, in one of four programs with several streams, some time later.
 *
 * @param seed what all is drawn from; the same seed makes the same program
 * @param events about how many rows the trace has
 */
record RandomProgram(long seed, int events) {
  private static final long MIB = 1L << 20;

  /** Bytes beyond which a program frees rather than allocates. */
  private static final long MAX_LIVE_BYTES = 2L << 30;

  /** Sizes at which PyTorch's rules change: rounding, pools, segments, usual settings. */
  private static final long[] EDGES = {
    512, 1024, 4096, MIB, 2 * MIB, 10 * MIB, 20 * MIB, 32 * MIB, 64 * MIB, 128 * MIB, 256 * MIB
  };

  private static final int[] STEPS = {-513, -512, -1, 0, 1, 511, 512};

  private enum Sizes {
    SMALL,
    LARGE,
    MIXED,
    FIXED,
    EDGES,
    ANY
  }

  private enum Lifetimes {
    RANDOM,
    LAST_IN_FIRST_OUT,
    FIRST_IN_FIRST_OUT
  }

  /** The trace of the program. */
  public AllocationTrace trace() {
    return new Run(this).run();
  }

  private static final class Run {
    private final RandomProgram program;
    private final SplittableRandom random;
    private final AllocationTrace.Builder trace = new AllocationTrace.Builder();
    private final Sizes sizes;
    private final Lifetimes lifetimes;
    private final int streams;
    private final int target;
    private final double useShare;
    private final double poolShare;
    private final double emptyShare;
    private final double burstShare;
    private final boolean endsLater;
    private final boolean givesPoolsUp;
    private final long[] fixed;
    private final List<Integer> live = new ArrayList<>();
    private final List<Long> liveSizes = new ArrayList<>();
    private final List<Integer> inUse = new ArrayList<>();
    private long liveBytes;
    private int pools;
    private boolean poolOpen;

    Run(RandomProgram program) {
      this.program = program;
      random = new SplittableRandom(program.seed);
      sizes = pick(Sizes.values());
      lifetimes = pick(Lifetimes.values());
      streams = random.nextInt(2) == 0 ? 1 : random.nextInt(2, 5);
      target = new int[] {5, 20, 80, 300}[random.nextInt(4)];
      useShare = streams > 1 ? random.nextDouble(0.3) : 0;
      poolShare = random.nextInt(5) == 0 ? random.nextDouble(0.3) : 0;
      emptyShare = random.nextInt(3) == 0 ? 0 : random.nextDouble(0.01);
      burstShare = random.nextInt(3) == 0 ? 0.02 : 0;
      endsLater = streams > 1 && random.nextInt(4) == 0;
      givesPoolsUp = random.nextInt(5) == 0;
      fixed = new long[random.nextInt(2, 12)];
      for (int i = 0; i < fixed.length; i++) {
        fixed[i] = between(9, 27);
      }
      for (int stream = 0; stream < streams; stream++) {
        trace.declareStream(stream);
      }
    }

    AllocationTrace run() {
      while (trace.eventCount() < program.events) {
        trace.at(0, trace.eventCount() * 1_000L, 0);
        step();
      }
      endUses();
      return trace.build(new StackTable.Builder().build());
    }

    private void step() {
      double drawn = random.nextDouble();
      if (drawn < emptyShare) {
        trace.emptyCache();
        inUse.clear();
      } else if (drawn < emptyShare + 0.001) {
        trace.snapshot();
      } else if (drawn < emptyShare + 0.001 + burstShare) {
        burst();
      } else if (poolOpen && givesPoolsUp && random.nextDouble() < 0.005) {
        if (!inUse.isEmpty()) {
          endUses();
        }
        trace.releasePool(new PoolId(0, pools));
        trace.emptyPool(new PoolId(0, pools));
        poolOpen = false;
      } else if (endsLater && !inUse.isEmpty() && random.nextDouble() < 0.1) {
        endSomeUses();
      } else if (live.isEmpty() || random.nextDouble() < allocates()) {
        allocate(size());
      } else {
        free();
      }
    }

    /** Chance of an allocation: around the target as many are made as freed. */
    private double allocates() {
      if (liveBytes > MAX_LIVE_BYTES || live.size() >= 2 * target) {
        return 0.1;
      }
      return 0.5 + 0.4 * (1 - (double) live.size() / target);
    }

    private void allocate(long bytes) {
      PoolId pool = PoolId.DEFAULT;
      if (random.nextDouble() < poolShare) {
        if (!poolOpen) {
          pools++;
          poolOpen = true;
        }
        pool = new PoolId(0, pools);
      }
      live.add(trace.allocate(bytes, random.nextInt(streams), pool));
      liveSizes.add(bytes);
      liveBytes += bytes;
    }

    private void burst() {
      long bytes = size();
      int count = random.nextInt(2, 20);
      for (int i = 0; i < count && liveBytes <= MAX_LIVE_BYTES; i++) {
        allocate(bytes);
      }
      int freed = random.nextInt(live.size() + 1);
      for (int i = 0; i < freed; i++) {
        free();
      }
    }

    private void free() {
      int index =
          switch (lifetimes) {
            case RANDOM -> random.nextInt(live.size());
            case LAST_IN_FIRST_OUT -> live.size() - 1 - random.nextInt(Math.min(3, live.size()));
            case FIRST_IN_FIRST_OUT -> random.nextInt(Math.min(3, live.size()));
          };
      int allocation = live.get(index);
      live.subList(index, index + 1).clear();
      liveBytes -= liveSizes.remove(index);
      boolean used = random.nextDouble() < useShare;
      if (used) {
        int uses = random.nextInt(1, streams);
        for (int use = 0; use < uses; use++) {
          trace.useStream(allocation, random.nextInt(streams), trace.eventCount());
        }
      }
      trace.free(allocation);
      if (used && endsLater) {
        inUse.add(allocation);
      } else if (used) {
        trace.synchronize();
      }
    }

    /** The oldest uses end, as streams work in order. */
    private void endSomeUses() {
      if (random.nextInt(4) == 0) {
        endUses();
        return;
      }
      int count = random.nextInt(1, inUse.size() + 1);
      for (int i = 0; i < count; i++) {
        trace.useComplete(inUse.removeFirst());
      }
    }

    private void endUses() {
      trace.synchronize();
      inUse.clear();
    }

    private long size() {
      return switch (sizes) {
        case SMALL -> between(0, 20.2);
        case LARGE -> between(20, 28.5);
        case MIXED -> between(6, 27);
        case FIXED -> fixed[random.nextInt(fixed.length)];
        case EDGES ->
            Math.max(
                1,
                EDGES[random.nextInt(EDGES.length)] * random.nextInt(1, 4)
                    + STEPS[random.nextInt(STEPS.length)]);
        case ANY ->
            random.nextInt(10) == 0 ? random.nextInt(0, 600) : between(random.nextInt(2) * 14, 26);
      };
    }

    /** A size between two powers of two, uniform in its logarithm. */
    private long between(double lowest, double highest) {
      return (long) Math.pow(2, random.nextDouble(lowest, highest));
    }

    private <T> T pick(T[] values) {
      return values[random.nextInt(values.length)];
    }
  }
}
