package org.allocsim.simulator.policy;

import java.util.Arrays;

/**
 * Segments and blocks at one moment, as columns, segments by ascending (unsigned) address and the
 * blocks of each after those of the one before.
 */
public final class MemoryLayout {
  private final Builder columns;

  private MemoryLayout(Builder columns) {
    this.columns = columns;
  }

  /** The layout that a policy has now. */
  public static MemoryLayout of(AllocatorPolicy policy) {
    Builder builder = new Builder();
    policy.describeLayout(builder);
    return builder.build();
  }

  /** Number of segments. */
  public int segmentCount() {
    return columns.segmentCount;
  }

  /** Number of blocks. */
  public int blockCount() {
    return columns.blockCount;
  }

  /** Address of a segment. */
  public long segmentAddress(int segment) {
    return columns.segmentAddress[segment];
  }

  /** Bytes of a segment. */
  public long segmentBytes(int segment) {
    return columns.segmentBytes[segment];
  }

  /** Stream number of a segment. */
  public int stream(int segment) {
    return columns.segmentStream[segment];
  }

  /** Whether a segment belongs to a small pool. */
  public boolean isSmall(int segment) {
    return columns.small[segment];
  }

  /** Pool number of a segment. */
  public int segmentPool(int segment) {
    return columns.segmentPool[segment];
  }

  /** Whether a segment is a mapped run of an expandable segment. */
  public boolean isExpandable(int segment) {
    return columns.expandable[segment];
  }

  /** Start of the address range in which an expandable segment's run lies. */
  public long reservationAddress(int segment) {
    return columns.reservationAddress[segment];
  }

  /** Index of a segment's first block; for {@link #segmentCount()} the number of blocks. */
  public int firstBlock(int segment) {
    return segment == columns.segmentCount ? columns.blockCount : columns.firstBlock[segment];
  }

  /** Address of a block. */
  public long blockAddress(int block) {
    return columns.blockAddress[block];
  }

  /** Bytes of a block. */
  public long blockBytes(int block) {
    return columns.blockBytes[block];
  }

  /** Bytes of the last request that a block served. */
  public long requestedBytes(int block) {
    return columns.requestedBytes[block];
  }

  /** State of a block. */
  public LayoutVisitor.BlockState state(int block) {
    return columns.state[block];
  }

  /** Allocation id of an active block, else −1. */
  public int allocation(int block) {
    return columns.allocation[block];
  }

  /** Collects a layout; segments and blocks come in address order. */
  public static final class Builder implements LayoutVisitor {
    private int segmentCount;
    private long[] segmentAddress = new long[16];
    private long[] segmentBytes = new long[16];
    private int[] segmentStream = new int[16];
    private boolean[] small = new boolean[16];
    private int[] segmentPool = new int[16];
    private boolean[] expandable = new boolean[16];
    private long[] reservationAddress = new long[16];
    private int[] firstBlock = new int[16];
    private int blockCount;
    private long[] blockAddress = new long[16];
    private long[] blockBytes = new long[16];
    private long[] requestedBytes = new long[16];
    private BlockState[] state = new BlockState[16];
    private int[] allocation = new int[16];

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
      if (segmentCount == segmentAddress.length) {
        int capacity = segmentCount * 2;
        segmentAddress = Arrays.copyOf(segmentAddress, capacity);
        segmentBytes = Arrays.copyOf(segmentBytes, capacity);
        segmentStream = Arrays.copyOf(segmentStream, capacity);
        small = Arrays.copyOf(small, capacity);
        segmentPool = Arrays.copyOf(segmentPool, capacity);
        expandable = Arrays.copyOf(expandable, capacity);
        reservationAddress = Arrays.copyOf(reservationAddress, capacity);
        firstBlock = Arrays.copyOf(firstBlock, capacity);
      }
      segmentAddress[segmentCount] = address;
      segmentBytes[segmentCount] = bytes;
      segmentStream[segmentCount] = stream;
      small[segmentCount] = isSmall;
      segmentPool[segmentCount] = pool;
      expandable[segmentCount] = isExpandable;
      reservationAddress[segmentCount] = rangeAddress;
      firstBlock[segmentCount] = blockCount;
      segmentCount++;
    }

    @Override
    public void block(
        long address, long bytes, long requested, BlockState blockState, int allocationId) {
      if (blockCount == blockAddress.length) {
        int capacity = blockCount * 2;
        blockAddress = Arrays.copyOf(blockAddress, capacity);
        blockBytes = Arrays.copyOf(blockBytes, capacity);
        requestedBytes = Arrays.copyOf(requestedBytes, capacity);
        state = Arrays.copyOf(state, capacity);
        allocation = Arrays.copyOf(allocation, capacity);
      }
      blockAddress[blockCount] = address;
      blockBytes[blockCount] = bytes;
      requestedBytes[blockCount] = requested;
      state[blockCount] = blockState;
      allocation[blockCount] = allocationId;
      blockCount++;
    }

    /** The finished layout; the builder cannot be used afterwards. */
    public MemoryLayout build() {
      return new MemoryLayout(this);
    }
  }
}
