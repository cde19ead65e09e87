package org.allocsim.simulator.policy.pytorch;

import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;

/** Recreates the blocks of a layout in an allocator that holds nothing. */
final class LayoutRestoration {
  /** Hears which block has an allocation. */
  @FunctionalInterface
  interface Owner {
    /** A block of the layout is active. */
    void owns(int allocation, int block);
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
    int range = BlockTable.NONE;
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      BlockPool pool = pools.obtain(layout.segmentPool(segment), layout.isSmall(segment));
      FreeList list = pool.list(layout.stream(segment));
      reserved.bytes += layout.segmentBytes(segment);
      if (pool.privatePool != null) {
        pool.privatePool.deviceAllocations++;
      }
      range =
          layout.isExpandable(segment) ? rangeFrom(layout, segment, list, range) : BlockTable.NONE;
      restoreBlocks(layout, segment, list, range);
      if (range != BlockTable.NONE) {
        list.addUnmapped(range);
      }
    }
  }

  /** The unmapped range that begins at a segment's run of pages, in no set. */
  private int rangeFrom(MemoryLayout layout, int segment, FreeList list, int lastRange) {
    long start = layout.reservationAddress(segment);
    boolean continues =
        lastRange != BlockTable.NONE && layout.reservationAddress(segment - 1) == start;
    int range;
    if (continues) {
      range = lastRange;
      list.removeUnmapped(range);
    } else {
      range = expandables.restore(list, start);
    }
    expandables.carveGap(range, layout.segmentAddress(segment));
    return range;
  }

  /** Recreates the blocks of a segment, in front of the unmapped range if there is one. */
  private void restoreBlocks(MemoryLayout layout, int segment, FreeList list, int range) {
    int before = BlockTable.NONE;
    for (int i = layout.firstBlock(segment); i < layout.firstBlock(segment + 1); i++) {
      int block = blocks.create(layout.blockAddress(i), layout.blockBytes(i), list);
      blocks.setRequestedBytes(block, layout.requestedBytes(i));
      if (range != BlockTable.NONE) {
        blocks.setExpandable(block, blocks.expandable(range));
        blocks.linkBefore(range, block);
        long blockBytes = blocks.bytes(block);
        blocks.place(range, blocks.address(range) + blockBytes, blocks.bytes(range) - blockBytes);
      } else if (before != BlockTable.NONE) {
        blocks.linkBehind(before, block);
      }
      before = block;
      if (layout.state(i) == BlockState.INACTIVE) {
        list.add(block);
      } else {
        blocks.setAllocated(block, layout.allocation(i));
        if (layout.state(i) == BlockState.ACTIVE_PENDING_FREE) {
          blocks.setPending(block);
        }
        owner.owns(layout.allocation(i), block);
      }
    }
  }
}
