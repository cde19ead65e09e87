package org.allocsim.simulator.effect;

/** Hears what an allocator of pinned host memory does with its blocks, by size class. */
public interface HostMemoryListener {
  /** A block was obtained from the operating system. */
  void blockObtained(long bytes);

  /** A block was returned to the operating system. */
  void blockReleased(long bytes);

  /** A block of a size class was handed out, new or reused. */
  void handedOut(int sizeClass, long bytes);

  /** A block of a size class came back after the last copy that used it had finished. */
  void returnedAfterUse(int sizeClass);
}
