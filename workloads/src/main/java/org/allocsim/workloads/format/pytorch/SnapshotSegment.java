package org.allocsim.workloads.format.pytorch;

import java.util.Arrays;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.trace.PoolId;

/** A segment of the final state, or one mapped run of an expandable segment, with its blocks. */
public final class SnapshotSegment {
  private final int device;
  private final long address;
  private final long totalBytes;
  private final long allocatedBytes;
  private final long activeBytes;
  private final long requestedBytes;
  private final boolean small;
  private final PoolId pool;
  private final boolean expandable;
  private final int stack;
  private final long[] blockAddresses;
  private final long[] blockBytes;
  private final long[] blockRequestedBytes;
  private final BlockState[] blockStates;
  private final int[] blockStacks;
  private int stream;

  SnapshotSegment(
      int device,
      long address,
      long totalBytes,
      long allocatedBytes,
      long activeBytes,
      long requestedBytes,
      int stream,
      boolean small,
      PoolId pool,
      boolean expandable,
      int stack,
      BlockColumns blocks) {
    this.device = device;
    this.address = address;
    this.totalBytes = totalBytes;
    this.allocatedBytes = allocatedBytes;
    this.activeBytes = activeBytes;
    this.requestedBytes = requestedBytes;
    this.stream = stream;
    this.small = small;
    this.pool = pool;
    this.expandable = expandable;
    this.stack = stack;
    blockAddresses = Arrays.copyOf(blocks.addresses, blocks.count);
    blockBytes = Arrays.copyOf(blocks.bytes, blocks.count);
    blockRequestedBytes = Arrays.copyOf(blocks.requestedBytes, blocks.count);
    blockStates = Arrays.copyOf(blocks.states, blocks.count);
    blockStacks = Arrays.copyOf(blocks.stacks, blocks.count);
  }

  void renumberStream(short[] finalNumbers) {
    stream = finalNumbers[stream];
  }

  /** Device index. */
  public int device() {
    return device;
  }

  /** Start address, unsigned. */
  public long address() {
    return address;
  }

  /** Size of the segment or mapped run. */
  public long totalBytes() {
    return totalBytes;
  }

  /** Sum of the sizes of blocks in the program's hands. */
  public long allocatedBytes() {
    return allocatedBytes;
  }

  /** Sum of the sizes of blocks in the program's hands or waiting for a stream. */
  public long activeBytes() {
    return activeBytes;
  }

  /** Sum of the requested bytes of active blocks. */
  public long requestedBytes() {
    return requestedBytes;
  }

  /** Stream number in {@link Snapshot#streamHandles()}. */
  public int stream() {
    return stream;
  }

  /** Whether the segment belongs to the pool of small blocks. */
  public boolean small() {
    return small;
  }

  /** The pool that owns the segment. */
  public PoolId pool() {
    return pool;
  }

  /** Whether this is a mapped run of an expandable segment. */
  public boolean expandable() {
    return expandable;
  }

  /** Stack that obtained the segment, a number in {@link Snapshot#stacks()}. */
  public int stack() {
    return stack;
  }

  /** Number of blocks. */
  public int blockCount() {
    return blockBytes.length;
  }

  /** Start address of a block, unsigned. */
  public long blockAddress(int block) {
    return blockAddresses[block];
  }

  /** Size of a block. */
  public long blockBytes(int block) {
    return blockBytes[block];
  }

  /**
   * Bytes of the last request that a block served. Where an old file has none: the block's size if
   * it is active, else 0.
   */
  public long blockRequestedBytes(int block) {
    return blockRequestedBytes[block];
  }

  /** State of a block. */
  public BlockState blockState(int block) {
    return blockStates[block];
  }

  /** Stack that obtained a block, a number in {@link Snapshot#stacks()}. */
  public int blockStack(int block) {
    return blockStacks[block];
  }
}
