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
      reserved.bytes += layout.segmentBytes(segment);
      if (pool.privatePool != null) {
        pool.privatePool.deviceAllocations++;
      }
      range =
          layout.isExpandable(segment) ? rangeFrom(layout, segment, pool, range) : BlockTable.NONE;
      restoreBlocks(layout, segment, pool, range);
      if (range != BlockTable.NONE) {
        pool.addUnmapped(range);
      }
    }
  }

  /** The unmapped range that begins at a segment's run of pages, in no set. */
  private int rangeFrom(MemoryLayout layout, int segment, BlockPool pool, int lastRange) {
    long start = layout.reservationAddress(segment);
    boolean continues =
        lastRange != BlockTable.NONE && layout.reservationAddress(segment - 1) == start;
    int range;
    if (continues) {
      range = lastRange;
      pool.removeUnmapped(range);
    } else {
      range = expandables.restore(pool, layout.stream(segment), start);
    }
    expandables.carveGap(range, layout.segmentAddress(segment));
    return range;
  }

  /** Recreates the blocks of a segment, in front of the unmapped range if there is one. */
  private void restoreBlocks(MemoryLayout layout, int segment, BlockPool pool, int range) {
    int before = BlockTable.NONE;
    for (int i = layout.firstBlock(segment); i < layout.firstBlock(segment + 1); i++) {
      int block =
          blocks.create(layout.blockAddress(i), layout.blockBytes(i), layout.stream(segment), pool);
      blocks.requestedBytes[block] = layout.requestedBytes(i);
      if (range != BlockTable.NONE) {
        blocks.expandable[block] = blocks.expandable[range];
        blocks.linkBefore(range, block);
        blocks.address[range] += blocks.bytes[block];
        blocks.bytes[range] -= blocks.bytes[block];
      } else if (before != BlockTable.NONE) {
        blocks.linkBehind(before, block);
      }
      before = block;
      if (layout.state(i) == BlockState.INACTIVE) {
        pool.addFree(block);
      } else {
        blocks.allocated[block] = layout.state(i) == BlockState.ACTIVE_ALLOCATED;
        blocks.pending[block] = !blocks.allocated[block];
        blocks.allocation[block] = layout.allocation(i);
        owner.owns(layout.allocation(i), block);
      }
    }
  }
}
