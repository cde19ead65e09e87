package org.allocsim.simulator.effect;

/**
 * Hears what a policy does, in order, with primitive arguments. Statistics, timelines, event logs
 * and checks are listeners; a policy keeps no statistics of its own. All methods do nothing unless
 * overridden.
 *
 * <p>{@code small} is the pool kind: true for the small pool, false for the large one; policies
 * without the notion report everything as large. {@code requestedBytes} is what the program asked
 * for, {@code blockBytes} what the block takes.
 */
public interface EffectListener {
  /**
   * Whether it does anything about blocks that are handed out and given back, and about the free
   * parts of segments between them. Whoever does not is not notified, which makes a replay faster.
   */
  default boolean followsBlocks() {
    return true;
  }

  /** A block was handed out to the program. */
  default void blockAllocated(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {}

  /** The program gave a block back; it may still be in use on other streams. */
  default void freeRequested(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {}

  /** A block that was given back became reusable. */
  default void freeCompleted(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {}

  /** A segment was obtained from the device. */
  default void segmentAllocated(long address, long bytes, int stream, boolean small) {
    reservedChanged(bytes);
  }

  /** A segment was returned to the device. */
  default void segmentFreed(long address, long bytes, int stream, boolean small) {
    reservedChanged(-bytes);
  }

  /** Physical memory was mapped into an expandable segment. */
  default void segmentMapped(long address, long bytes, int stream, boolean small) {
    reservedChanged(bytes);
  }

  /** Physical memory was unmapped from an expandable segment. */
  default void segmentUnmapped(long address, long bytes, int stream, boolean small) {
    reservedChanged(-bytes);
  }

  /**
   * More memory is held from the device, or less: any of the four above, where they are not heard.
   */
  default void reservedChanged(long bytes) {}

  /**
   * The free parts of partly used segments changed by a net number of blocks and bytes (either may
   * be negative or zero).
   */
  default void inactiveSplitChanged(int blocks, long bytes, boolean small) {}

  /** A request is tried once more after cached memory was released. */
  default void allocationRetried() {}

  /** The allocator waited for all its outstanding stream uses. */
  default void streamsSynchronized() {}

  /**
   * The size changed from which on the allocator does not split blocks.
   *
   * @param bytes unsigned; −1 for none
   */
  default void splitLimitChanged(long bytes) {}

  /** A request failed. */
  default void outOfMemory(OutOfMemory failure) {}

  /** A request was refused before the allocator was asked; {@code reason} is its message. */
  default void requestRejected(int allocation, long requestedBytes, String reason) {}

  /** The program took a snapshot while this many bytes were active. */
  default void snapshotTaken(long activeBytes) {}
}
