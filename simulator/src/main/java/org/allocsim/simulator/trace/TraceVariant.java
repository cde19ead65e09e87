package org.allocsim.simulator.trace;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A trace as another one, but that some allocations have other sizes and some come in each other's
 * place. Only the columns that this changes are copied, so that many variants of a long trace cost
 * little. Allocations are numbered by place, as those of the other trace are.
 */
public final class TraceVariant {
  private final AllocationTrace source;
  private final long[] heads;
  private final short @Nullable [] pools;
  private final long[] bytes;
  private final int[] stacks;

  /** Ids here by those in the source; null while they are the same. */
  private int @Nullable [] ids;

  /** A variant that is still equal to the other trace, which does not change. */
  public TraceVariant(AllocationTrace source) {
    this.source = source;
    heads = source.heads.clone();
    pools = source.pools == null ? null : source.pools.clone();
    bytes = source.bytes.clone();
    stacks = source.stacks.clone();
  }

  /** Gives an ALLOCATE row another size. */
  public void resize(int event, long newBytes) {
    bytes[event] = newBytes;
  }

  /**
   * Exchanges two ALLOCATE rows after the prologue between which their device has no other row.
   * Each takes the other's time.
   */
  public void exchange(int first, int second) {
    int firstId = RowHead.allocation(heads[first]);
    int secondId = RowHead.allocation(heads[second]);
    long head = heads[first];
    heads[first] = RowHead.withAllocation(heads[second], firstId);
    heads[second] = RowHead.withAllocation(head, secondId);
    if (ids == null) {
      ids = new int[source.allocationCount()];
      Arrays.setAll(ids, id -> id);
    }
    ids[firstId] = secondId;
    ids[secondId] = firstId;
    long size = bytes[first];
    bytes[first] = bytes[second];
    bytes[second] = size;
    int stack = stacks[first];
    stacks[first] = stacks[second];
    stacks[second] = stack;
    if (pools != null) {
      short pool = pools[first];
      pools[first] = pools[second];
      pools[second] = pool;
    }
  }

  /** The finished variant; this cannot be used afterwards. */
  public AllocationTrace build() {
    int[] anchors = source.anchors;
    if (ids != null) {
      renumber(ids);
      anchors = anchors.clone();
      for (int i = 0; i < anchors.length; i++) {
        anchors[i] = anchors[i] == AllocationTrace.NO_ALLOCATION ? anchors[i] : ids[anchors[i]];
      }
    }
    return new AllocationTrace(source, heads, pools, bytes, stacks, anchors);
  }

  /** Lets the rows that concern an allocation name it as its own row does now. */
  private void renumber(int[] numbers) {
    for (int event = 0; event < heads.length; event++) {
      long head = heads[event];
      switch (RequestKind.of((byte) head)) {
        case FREE, USE_STREAM, USE_COMPLETE ->
            heads[event] = RowHead.withAllocation(head, numbers[RowHead.allocation(head)]);
        default -> {}
      }
    }
  }
}
