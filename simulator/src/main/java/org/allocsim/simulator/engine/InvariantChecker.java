package org.allocsim.simulator.engine;

import java.util.BitSet;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a policy shows with what it reported. It listens to the policy's effects and keeps
 * the sums; {@link #check}, to be called between two requests, then goes through the layout:
 *
 * <ul>
 *   <li>segments ascend and do not overlap; the blocks of each tile it exactly;
 *   <li>no two neighbouring blocks of a segment are both free (policies that merge free blocks);
 *   <li>a block in use is not smaller than its request;
 *   <li>bytes and number of allocated and active blocks, and the bytes of the segments, are those
 *       that the effects add up to;
 *   <li>allocated ≤ active ≤ reserved ≤ limit.
 * </ul>
 *
 * <p>A check takes time linear in the number of blocks: to check after every request makes a replay
 * quadratic in effect, which suits tests and the search for an error.
 */
public final class InvariantChecker implements EffectListener {
  /** Limit of a checker that knows none. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  private final long limitBytes;
  private final Walk walk;
  private long allocatedBytes;
  private long allocatedBlocks;
  private long activeBytes;
  private long activeBlocks;
  private long reservedBytes;

  /**
   * A checker of a policy that holds nothing yet.
   *
   * @param limitBytes most bytes that the policy may ever hold from the device: the device's
   *     capacity or the allocator's own limit. PyTorch's expandable segments may pass their limit
   *     by less than one page (2.11), so a page less one byte belongs on top there. {@link
   *     #UNLIMITED} for none
   */
  public InvariantChecker(long limitBytes) {
    this(limitBytes, true);
  }

  /**
   * As above.
   *
   * @param mergesFreeBlocks whether the policy merges neighbouring free blocks at once
   */
  public InvariantChecker(long limitBytes, boolean mergesFreeBlocks) {
    this(limitBytes, mergesFreeBlocks, false);
  }

  /**
   * As above.
   *
   * @param spansBlocks whether one allocation may have several blocks, which the layout shows with
   *     the same allocation id and each with its share of the request (GMLake's stitched blocks,
   *     the blocks of a paged sequence); then allocations are counted instead of blocks
   */
  public InvariantChecker(long limitBytes, boolean mergesFreeBlocks, boolean spansBlocks) {
    this.limitBytes = limitBytes;
    walk = new Walk(mergesFreeBlocks, spansBlocks);
  }

  /** Takes over the sums of a policy that was restored to a layout without reporting effects. */
  public void startFrom(AllocatorPolicy policy) {
    walk.over(policy);
    allocatedBytes = walk.allocatedBytes;
    allocatedBlocks = walk.allocatedBlocks;
    activeBytes = walk.activeBytes;
    activeBlocks = walk.activeBlocks;
    reservedBytes = walk.reservedBytes;
    check(policy);
  }

  /**
   * Checks the policy whose effects this listener heard.
   *
   * @throws InvariantViolation with one sentence about the first thing found wrong
   */
  public void check(AllocatorPolicy policy) {
    walk.over(policy);
    same("allocated bytes", allocatedBytes, walk.allocatedBytes);
    same("allocated blocks", allocatedBlocks, walk.allocatedBlocks);
    same("active bytes", activeBytes, walk.activeBytes);
    same("active blocks", activeBlocks, walk.activeBlocks);
    same("reserved bytes", reservedBytes, walk.reservedBytes);
    ascending("allocated", allocatedBytes, "active", activeBytes);
    ascending("active", activeBytes, "reserved", reservedBytes);
    ascending("reserved", reservedBytes, "allowed", limitBytes);
  }

  @Override
  public void blockAllocated(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    allocatedBytes += blockBytes;
    allocatedBlocks++;
    activeBytes += blockBytes;
    activeBlocks++;
  }

  @Override
  public void freeRequested(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    allocatedBytes -= blockBytes;
    allocatedBlocks--;
  }

  @Override
  public void freeCompleted(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    activeBytes -= blockBytes;
    activeBlocks--;
  }

  @Override
  public void reservedChanged(long bytes) {
    reservedBytes += bytes;
  }

  private static void same(String what, long reported, long shown) {
    if (reported != shown) {
      throw new InvariantViolation(
          "the effects add up to %d %s, but the layout shows %d".formatted(reported, what, shown));
    }
  }

  private static void ascending(String lesser, long least, String greater, long most) {
    if (least > most) {
      throw new InvariantViolation(
          "%d bytes are %s, but only %d are %s".formatted(least, lesser, most, greater));
    }
  }

  /** Goes through a layout, checks its shape and adds up its blocks. */
  private static final class Walk implements LayoutVisitor {
    private final boolean mergesFreeBlocks;
    private final @Nullable BitSet seenAllocations;
    private boolean inSegment;
    private long segmentAddress;
    private long segmentEnd;
    private long reached;
    private boolean lastWasFree;
    private long allocatedBytes;
    private long allocatedBlocks;
    private long activeBytes;
    private long activeBlocks;
    private long reservedBytes;

    Walk(boolean mergesFreeBlocks, boolean spansBlocks) {
      this.mergesFreeBlocks = mergesFreeBlocks;
      seenAllocations = spansBlocks ? new BitSet() : null;
    }

    void over(AllocatorPolicy policy) {
      inSegment = false;
      segmentEnd = 0;
      allocatedBytes = 0;
      allocatedBlocks = 0;
      activeBytes = 0;
      activeBlocks = 0;
      reservedBytes = 0;
      if (seenAllocations != null) {
        seenAllocations.clear();
      }
      policy.describeLayout(this);
      endSegment();
    }

    @Override
    public void segment(
        long address, long bytes, int stream, boolean small, int pool, boolean expandable) {
      endSegment();
      if (bytes <= 0) {
        throw new InvariantViolation("segment 0x%x has %d bytes".formatted(address, bytes));
      }
      if (Long.compareUnsigned(address, segmentEnd) < 0) {
        throw new InvariantViolation(
            "segment 0x%x begins before 0x%x, the end of the previous one"
                .formatted(address, segmentEnd));
      }
      inSegment = true;
      segmentAddress = address;
      segmentEnd = address + bytes;
      reached = address;
      lastWasFree = false;
      reservedBytes += bytes;
    }

    @Override
    public void block(
        long address, long bytes, long requestedBytes, BlockState state, int allocation) {
      if (!inSegment) {
        throw new InvariantViolation("block 0x%x is outside every segment".formatted(address));
      }
      if (address != reached || bytes <= 0 || bytes > segmentEnd - address) {
        throw new InvariantViolation(
            "block 0x%x of %d bytes does not fit at 0x%x in segment 0x%x, which ends at 0x%x"
                .formatted(address, bytes, reached, segmentAddress, segmentEnd));
      }
      reached = address + bytes;
      boolean free = state == BlockState.INACTIVE;
      if (free && lastWasFree && mergesFreeBlocks) {
        throw new InvariantViolation(
            "block 0x%x is free, and so is the previous one in segment 0x%x"
                .formatted(address, segmentAddress));
      }
      lastWasFree = free;
      if (!free && requestedBytes > bytes) {
        throw new InvariantViolation(
            "block 0x%x of %d bytes serves a request of %d bytes"
                .formatted(address, bytes, requestedBytes));
      }
      if (free) {
        return;
      }
      int counted = isFurtherBlock(allocation) ? 0 : 1;
      activeBytes += bytes;
      activeBlocks += counted;
      if (state == BlockState.ACTIVE_ALLOCATED) {
        allocatedBytes += bytes;
        allocatedBlocks += counted;
      }
    }

    /** Whether a block of the allocation was shown before, where allocations may have several. */
    private boolean isFurtherBlock(int allocation) {
      if (seenAllocations == null) {
        return false;
      }
      boolean seen = seenAllocations.get(allocation);
      seenAllocations.set(allocation);
      return seen;
    }

    private void endSegment() {
      if (inSegment && reached != segmentEnd) {
        throw new InvariantViolation(
            "the blocks of segment 0x%x end at 0x%x, not at its end 0x%x"
                .formatted(segmentAddress, reached, segmentEnd));
      }
      inSegment = false;
    }
  }
}
