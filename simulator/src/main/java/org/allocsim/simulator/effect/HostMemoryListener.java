package org.allocsim.simulator.effect;

/**
 * Hears what an allocator of pinned host memory does with its blocks, by size class. All methods do
 * nothing unless overridden.
 */
public interface HostMemoryListener {
  /** Hears everything and does nothing. */
  HostMemoryListener NONE = new HostMemoryListener() {};

  /** A block was obtained from the operating system. */
  default void blockObtained(long bytes) {}

  /** A block was returned to the operating system. */
  default void blockReleased(long bytes) {}

  /** A block of a size class was handed out, new or reused. */
  default void handedOut(int sizeClass, long bytes) {}

  /** A block of a size class came back after the last copy that used it had finished. */
  default void returnedAfterUse(int sizeClass) {}
}
