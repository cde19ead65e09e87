package org.allocsim.simulator.policy;

import java.util.ArrayList;
import java.util.List;

/**
 * Segments and blocks at one moment, segments by ascending (unsigned) address and the blocks of
 * each after those of the one before.
 */
public final class MemoryLayout {
  private record Segment(
      long address,
      long bytes,
      int stream,
      boolean isSmall,
      int pool,
      boolean isExpandable,
      long rangeAddress,
      int firstBlock) {}

  private record Block(
      long address,
      long bytes,
      long requestedBytes,
      LayoutVisitor.BlockState state,
      int allocation) {}

  private final List<Segment> segments;
  private final List<Block> blocks;

  private MemoryLayout(List<Segment> segments, List<Block> blocks) {
    this.segments = segments;
    this.blocks = blocks;
  }

  /** The layout that a policy has now. */
  public static MemoryLayout of(AllocatorPolicy policy) {
    Builder builder = new Builder();
    policy.describeLayout(builder);
    return builder.build();
  }

  /** Number of segments. */
  public int segmentCount() {
    return segments.size();
  }

  /** Number of blocks. */
  public int blockCount() {
    return blocks.size();
  }

  /** Address of a segment. */
  public long segmentAddress(int segment) {
    return segments.get(segment).address();
  }

  /** Bytes of a segment. */
  public long segmentBytes(int segment) {
    return segments.get(segment).bytes();
  }

  /** Stream number of a segment. */
  public int stream(int segment) {
    return segments.get(segment).stream();
  }

  /** Whether a segment belongs to a small pool. */
  public boolean isSmall(int segment) {
    return segments.get(segment).isSmall();
  }

  /** Pool number of a segment. */
  public int segmentPool(int segment) {
    return segments.get(segment).pool();
  }

  /** Whether a segment is a mapped run of an expandable segment. */
  public boolean isExpandable(int segment) {
    return segments.get(segment).isExpandable();
  }

  /** Start of the address range in which an expandable segment's run lies. */
  public long reservationAddress(int segment) {
    return segments.get(segment).rangeAddress();
  }

  /** Index of a segment's first block; for {@link #segmentCount()} the number of blocks. */
  public int firstBlock(int segment) {
    return segment == segments.size() ? blocks.size() : segments.get(segment).firstBlock();
  }

  /** Address of a block. */
  public long blockAddress(int block) {
    return blocks.get(block).address();
  }

  /** Bytes of a block. */
  public long blockBytes(int block) {
    return blocks.get(block).bytes();
  }

  /** Bytes of the last request that a block served. */
  public long requestedBytes(int block) {
    return blocks.get(block).requestedBytes();
  }

  /** State of a block. */
  public LayoutVisitor.BlockState state(int block) {
    return blocks.get(block).state();
  }

  /** Allocation id of an active block, else −1. */
  public int allocation(int block) {
    return blocks.get(block).allocation();
  }

  /** Collects a layout; segments and blocks come in address order. */
  public static final class Builder implements LayoutVisitor {
    private final List<Segment> segments = new ArrayList<>();
    private final List<Block> blocks = new ArrayList<>();

    @Override
    public void segment(
        long address, long bytes, int stream, boolean small, int pool, boolean expandable) {
      segment(address, bytes, stream, small, pool, expandable, address);
    }

    /** A segment whose run of pages lies in an address range that starts below it. */
    public void segment(
        long address,
        long bytes,
        int stream,
        boolean isSmall,
        int pool,
        boolean isExpandable,
        long rangeAddress) {
      segments.add(
          new Segment(
              address, bytes, stream, isSmall, pool, isExpandable, rangeAddress, blocks.size()));
    }

    @Override
    public void block(
        long address, long bytes, long requested, BlockState blockState, int allocation) {
      blocks.add(new Block(address, bytes, requested, blockState, allocation));
    }

    /** The finished layout; the builder cannot be used afterwards. */
    public MemoryLayout build() {
      return new MemoryLayout(segments, blocks);
    }
  }
}
