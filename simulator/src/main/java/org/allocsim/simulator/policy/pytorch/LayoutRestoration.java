package org.allocsim.simulator.policy.pytorch;

import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.jspecify.annotations.Nullable;

/** Recreates the blocks of a layout in an allocator that holds nothing. */
final class LayoutRestoration {
  /** Hears which block has an allocation. */
  @FunctionalInterface
  interface Owner {
    /** A block of the layout is active. */
    void owns(int allocation, Block block);
  }

  private final BlockTable blocks;
  private final Pools pools;
  private final ExpandableSegments expandables;
  private final ReservedMemory reserved;
  private final Owner owner;

  LayoutRestoration(
      BlockTable blocks,
      Pools pools,
      ExpandableSegments expandables,
      ReservedMemory reserved,
      Owner owner) {
    this.blocks = blocks;
    this.pools = pools;
    this.expandables = expandables;
    this.reserved = reserved;
    this.owner = owner;
  }

  void restore(MemoryLayout layout) {
    Block range = null;
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      BlockPool pool = pools.obtain(layout.segmentPool(segment), layout.isSmall(segment));
      FreeList list = pool.list(layout.stream(segment));
      reserved.bytes += layout.segmentBytes(segment);
      if (pool.privatePool != null) {
        pool.privatePool.deviceAllocations++;
      }
      range = layout.isExpandable(segment) ? rangeFrom(layout, segment, list, range) : null;
      restoreBlocks(layout, segment, list, range);
      if (range != null) {
        list.addUnmapped(range);
      }
    }
  }

  /** The unmapped range that begins at a segment's run of pages, in no set. */
  private Block rangeFrom(
      MemoryLayout layout, int segment, FreeList list, @Nullable Block lastRange) {
    long start = layout.reservationAddress(segment);
    Block range;
    if (lastRange != null && layout.reservationAddress(segment - 1) == start) {
      range = lastRange;
      list.removeUnmapped(range);
    } else {
      range = expandables.restore(list, start);
    }
    expandables.carveGap(range, layout.segmentAddress(segment));
    return range;
  }

  /** Recreates the blocks of a segment, in front of the unmapped range if there is one. */
  private void restoreBlocks(
      MemoryLayout layout, int segment, FreeList list, @Nullable Block range) {
    Block before = null;
    for (int i = layout.firstBlock(segment); i < layout.firstBlock(segment + 1); i++) {
      Block block;
      if (range != null) {
        block = blocks.createLike(range, layout.blockAddress(i), layout.blockBytes(i));
        range.linkBefore(block);
        long blockBytes = block.bytes();
        range.placeAt(range.address() + blockBytes, range.bytes() - blockBytes);
      } else if (before != null) {
        block = blocks.createLike(before, layout.blockAddress(i), layout.blockBytes(i));
        before.linkBehind(block);
      } else {
        block = blocks.createOldSegment(layout.blockAddress(i), layout.segmentBytes(segment), list);
        block.placeAt(layout.blockAddress(i), layout.blockBytes(i));
      }
      block.requestedBytes = layout.requestedBytes(i);
      before = block;
      if (layout.state(i) == BlockState.INACTIVE) {
        list.add(block);
      } else {
        block.setAllocated(layout.allocation(i), block.requestedBytes);
        block.watch();
        if (layout.state(i) == BlockState.ACTIVE_PENDING_FREE) {
          block.setPending();
        }
        owner.owns(layout.allocation(i), block);
      }
    }
  }
}
