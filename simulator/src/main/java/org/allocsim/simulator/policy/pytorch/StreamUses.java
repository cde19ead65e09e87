package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;
import org.allocsim.simulator.trace.AllocationTrace;
import org.jspecify.annotations.Nullable;

/**
 * Uses of blocks on streams other than their own. From {@code useStream} to the free they only mark
 * the block; at the free each becomes an outstanding event, and the block is reusable when all its
 * events have been seen.
 *
 * <p>PyTorch asks the streams in the order of a hash map, each for its oldest event. Here the order
 * is that of the completion ranks, which a recording determines, then that of the frees; for an
 * event after others of the same stream these are seen first (head of line). A use on an unknown
 * stream waits for no other.
 */
final class StreamUses {
  /** No use. */
  static final int NONE = -1;

  private Block[] block = new Block[16];
  private int[] stream = new int[16];
  private long[] rank = new long[16];
  private int[] nextOfBlock = new int[16];
  private boolean[] complete = new boolean[16];
  private int[] unused = new int[16];
  private int unusedCount;
  private int rows;

  /** Outstanding events in the order of the frees. */
  private int[] events = new int[16];

  private int eventCount;
  private int completeEvents;

  /**
   * Marks a block as used on a stream; a stream that is already marked is not marked again. A block
   * that awaits its free gets an outstanding event at once.
   */
  void add(Block newBlock, int newStream, long newRank) {
    int last = NONE;
    for (int use = newBlock.firstUse; use != NONE; use = nextOfBlock[use]) {
      if (stream[use] == newStream) {
        rank[use] = newRank;
        complete[use] = false;
        return;
      }
      last = use;
    }
    int use = unusedCount > 0 ? unused[--unusedCount] : newRow();
    block[use] = newBlock;
    stream[use] = newStream;
    rank[use] = newRank;
    complete[use] = false;
    nextOfBlock[use] = NONE;
    if (last == NONE) {
      newBlock.firstUse = use;
      newBlock.watch();
    } else {
      nextOfBlock[last] = use;
    }
    if (newBlock.isPending()) {
      insertEvent(use);
    }
  }

  /** Turns the marks of a block that was given back into outstanding events. */
  void insertEvents(Block freed) {
    for (int use = freed.firstUse; use != NONE; use = nextOfBlock[use]) {
      insertEvent(use);
    }
  }

  private void insertEvent(int use) {
    if (eventCount == events.length) {
      events = Arrays.copyOf(events, eventCount * 2);
    }
    events[eventCount++] = use;
    if (complete[use]) {
      completeEvents++;
    }
  }

  /** The device has finished a block's use on a stream, or all its uses on any stream. */
  void completeUseOf(Block used, int onStream) {
    for (int use = used.firstUse; use != NONE; use = nextOfBlock[use]) {
      boolean meant = onStream == AllocationTrace.ANY_STREAM || stream[use] == onStream;
      if (meant && !complete[use]) {
        complete[use] = true;
        if (used.isPending()) {
          completeEvents++;
        }
      }
    }
  }

  /** The device has finished all uses of all live blocks. */
  void completeAll() {
    for (int use = 0; use < rows; use++) {
      if (block[use] != null && !complete[use]) {
        complete[use] = true;
        if (block[use].isPending()) {
          completeEvents++;
        }
      }
    }
  }

  /** Whether any outstanding event has finished. */
  boolean anyFinished() {
    return completeEvents > 0;
  }

  /**
   * Sees finished events until one is the last of its block.
   *
   * @return a block that became reusable, or null
   */
  @Nullable Block pollFinished() {
    while (completeEvents > 0) {
      int best = NONE;
      for (int i = 0; i < eventCount; i++) {
        int use = events[i];
        if (complete[use]
            && (best == NONE || rank[use] < rank[events[best]])
            && !isBehindUnfinished(i)) {
          best = i;
        }
      }
      if (best == NONE) {
        return null;
      }
      Block reusable = see(firstOfStream(best));
      if (reusable != null) {
        return reusable;
      }
    }
    return null;
  }

  /**
   * Waits for the outstanding event that comes first.
   *
   * @param owner only events of blocks of this private pool, or −1 for all
   * @return a block that became reusable, or null when no event is left
   */
  @Nullable Block pollSynchronized(int owner) {
    while (true) {
      int best = NONE;
      for (int i = 0; i < eventCount; i++) {
        if ((owner < 0 || block[events[i]].list.pool.owner == owner)
            && (best == NONE || rank[events[i]] < rank[events[best]])) {
          best = i;
        }
      }
      if (best == NONE) {
        return null;
      }
      Block reusable = see(best);
      if (reusable != null) {
        return reusable;
      }
    }
  }

  private boolean isBehindUnfinished(int event) {
    int known = stream[events[event]];
    if (known == AllocationTrace.UNKNOWN_STREAM) {
      return false;
    }
    for (int i = 0; i < event; i++) {
      if (stream[events[i]] == known && !complete[events[i]]) {
        return true;
      }
    }
    return false;
  }

  /** The event that must be seen first so that another one of its stream can be. */
  private int firstOfStream(int event) {
    int known = stream[events[event]];
    int first = 0;
    while (first < event
        && (known == AllocationTrace.UNKNOWN_STREAM || stream[events[first]] != known)) {
      first++;
    }
    return first;
  }

  /** Removes an event; returns its block if that was the block's last one. */
  private @Nullable Block see(int event) {
    int use = events[event];
    if (complete[use]) {
      completeEvents--;
    }
    eventCount--;
    System.arraycopy(events, event + 1, events, event, eventCount - event);
    Block owner = block[use];
    removeFromBlock(owner, use);
    return owner.firstUse == NONE ? owner : null;
  }

  private void removeFromBlock(Block owner, int use) {
    if (owner.firstUse == use) {
      owner.firstUse = nextOfBlock[use];
    } else {
      int before = owner.firstUse;
      while (nextOfBlock[before] != use) {
        before = nextOfBlock[before];
      }
      nextOfBlock[before] = nextOfBlock[use];
    }
    block[use] = null;
    if (unusedCount == unused.length) {
      unused = Arrays.copyOf(unused, unusedCount * 2);
    }
    unused[unusedCount++] = use;
  }

  private int newRow() {
    if (rows == block.length) {
      block = Arrays.copyOf(block, rows * 2);
      stream = Arrays.copyOf(stream, rows * 2);
      rank = Arrays.copyOf(rank, rows * 2);
      nextOfBlock = Arrays.copyOf(nextOfBlock, rows * 2);
      complete = Arrays.copyOf(complete, rows * 2);
    }
    return rows++;
  }
}
