package org.allocsim.simulator.policy.pinned;

import java.util.Arrays;
import org.allocsim.simulator.policy.block.BlockHeap;
import org.allocsim.simulator.policy.use.UseIndex;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * Which streams' copies use which blocks, and the queue of the uses that freed blocks wait for. A
 * use is a row of columns; the uses of a block are linked, and their rows serve again when the
 * block is forgotten.
 */
final class CopyUses {
  /** No block. */
  static final int NO_BLOCK = BlockHeap.NONE;

  private static final int NONE = -1;

  /** By block: its first and last use; uses that it still waits for. */
  private int[] firstUse = new int[0];

  private int[] lastUse = new int[0];
  private int[] outstanding = new int[0];

  /** By block: its copies that were recorded before this moment have finished. */
  private long[] finishedUntil = new long[0];

  private int[] block = new int[16];
  private int[] stream = new int[16];
  private int[] next = new int[16];
  private long[] recordedAt = new long[16];

  /** By use of a freed block: the last copy on its stream at the free, which it waits for too. */
  private long[] awaitedAt = new long[16];

  private boolean[] complete = new boolean[16];
  private final UseIndex index = new UseIndex();
  private int rows;
  private int unused = NONE;

  /** Uses that freed blocks wait for, a ring that begins at {@link #oldest}. */
  private int[] queue = new int[16];

  private int oldest;
  private int queued;

  private long moment = 1;
  private long waitedUntil;
  private long[] streamWaitedUntil = new long[0];
  private long[] lastCopyAt = new long[0];

  /** A copy on a stream uses a block; one that used it before on this stream is forgotten. */
  void record(int usedBlock, int usingStream) {
    if (usedBlock >= firstUse.length) {
      int known = firstUse.length;
      firstUse = Arrays.copyOf(firstUse, Math.max(256, 2 * usedBlock));
      lastUse = Arrays.copyOf(lastUse, firstUse.length);
      outstanding = Arrays.copyOf(outstanding, firstUse.length);
      finishedUntil = Arrays.copyOf(finishedUntil, firstUse.length);
      Arrays.fill(firstUse, known, firstUse.length, NONE);
    }
    int use = index.find(usedBlock, usingStream);
    if (use == UseIndex.NONE) {
      use = create(usedBlock, usingStream);
      if (firstUse[usedBlock] == NONE) {
        firstUse[usedBlock] = use;
      } else {
        next[lastUse[usedBlock]] = use;
      }
      lastUse[usedBlock] = use;
      index.add(usedBlock, usingStream, use);
    }
    complete[use] = false;
    if (usingStream >= lastCopyAt.length) {
      lastCopyAt = Arrays.copyOf(lastCopyAt, Math.max(usingStream + 1, 2 * lastCopyAt.length));
    }
    if (usingStream >= 0) {
      lastCopyAt[usingStream] = moment;
    }
    recordedAt[use] = moment++;
  }

  private int create(int usedBlock, int usingStream) {
    int use = unused;
    if (use != NONE) {
      unused = next[use];
    } else {
      if (rows == block.length) {
        int capacity = 2 * rows;
        block = Arrays.copyOf(block, capacity);
        stream = Arrays.copyOf(stream, capacity);
        next = Arrays.copyOf(next, capacity);
        recordedAt = Arrays.copyOf(recordedAt, capacity);
        awaitedAt = Arrays.copyOf(awaitedAt, capacity);
        complete = Arrays.copyOf(complete, capacity);
      }
      use = rows++;
    }
    block[use] = usedBlock;
    stream[use] = usingStream;
    next[use] = NONE;
    return use;
  }

  /** Whether any copy used a block. */
  boolean isUsed(int usedBlock) {
    return usedBlock < firstUse.length && firstUse[usedBlock] != NONE;
  }

  /** The copies of one stream that used a block have finished, or those of any stream. */
  void finish(int usedBlock, int usingStream) {
    if (!isUsed(usedBlock)) {
      return;
    }
    if (usingStream == AllocationTrace.ANY_STREAM) {
      finishedUntil[usedBlock] = moment;
      return;
    }
    int use = index.find(usedBlock, usingStream);
    if (use != UseIndex.NONE) {
      complete[use] = true;
    }
  }

  /** All copies so far have finished. */
  void finishAll() {
    waitedUntil = moment;
  }

  /** All copies of a stream so far have finished. */
  void finishStream(int finished) {
    if (finished >= streamWaitedUntil.length) {
      streamWaitedUntil = Arrays.copyOf(streamWaitedUntil, finished + 1);
    }
    streamWaitedUntil[finished] = moment;
  }

  /**
   * Queues the uses of a block after all others. The event of a use is recorded now, so that it
   * comes after all copies that its stream has by now.
   */
  void await(int usedBlock) {
    outstanding[usedBlock] = 0;
    for (int use = firstUse[usedBlock]; use != NONE; use = next[use]) {
      if (queued == queue.length) {
        int[] grown = new int[2 * queued];
        for (int i = 0; i < queued; i++) {
          grown[i] = queue[(oldest + i) & (queued - 1)];
        }
        queue = grown;
        oldest = 0;
      }
      queue[(oldest + queued++) & (queue.length - 1)] = use;
      awaitedAt[use] = stream[use] >= 0 ? lastCopyAt[stream[use]] : recordedAt[use];
      outstanding[usedBlock]++;
    }
  }

  /** Whether the oldest use in the queue has finished. */
  boolean hasFinished() {
    if (queued == 0) {
      return false;
    }
    int use = queue[oldest];
    return complete[use]
        || recordedAt[use] < finishedUntil[block[use]]
        || awaitedAt[use] < waitedUntil
        || (stream[use] >= 0
            && stream[use] < streamWaitedUntil.length
            && awaitedAt[use] < streamWaitedUntil[stream[use]]);
  }

  /**
   * Takes the oldest use out of the queue.
   *
   * @return its block where that was the last use it waited for, else {@link #NO_BLOCK}
   */
  int takeFinished() {
    int usedBlock = block[queue[oldest]];
    oldest = (oldest + 1) & (queue.length - 1);
    queued--;
    if (--outstanding[usedBlock] > 0) {
      return NO_BLOCK;
    }
    for (int use = firstUse[usedBlock]; use != NONE; use = next[use]) {
      index.remove(usedBlock, stream[use]);
    }
    next[lastUse[usedBlock]] = unused;
    unused = firstUse[usedBlock];
    firstUse[usedBlock] = NONE;
    return usedBlock;
  }
}
