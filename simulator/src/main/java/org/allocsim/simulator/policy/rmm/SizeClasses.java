package org.allocsim.simulator.policy.rmm;

/**
 * The size classes of RMM's arenas where they are compiled with {@code RMM_ARENA_USE_SIZE_CLASSES}:
 * multiples of 256 bytes up to 1 KiB, then four a doubling up to 256 GiB, as jemalloc has them. One
 * class is out of line: 54 KiB stands where 56 KiB would be. Beyond, everything is one class that
 * no device holds.
 *
 * <p>Source: rapidsai/rmm 5d50a37 (2026-07), {@code arena.hpp}.
 */
final class SizeClasses {
  private static final long SMALLEST_DOUBLING_BYTES = 1 << 10;
  private static final long LARGEST_BYTES = 256L << 30;
  private static final long ODD_CLASS_BYTES = 54 << 10;
  private static final long REGULAR_CLASS_BYTES = 56 << 10;

  private SizeClasses() {}

  /** The class of a size of at least 1 byte. */
  static long alignUp(long bytes) {
    if (bytes <= SMALLEST_DOUBLING_BYTES) {
      return Upstream.alignUp(bytes);
    }
    if (bytes > LARGEST_BYTES) {
      return Long.MAX_VALUE;
    }
    long step = Long.highestOneBit(bytes - 1) / 4;
    long regular = (bytes + step - 1) / step * step;
    if (regular == REGULAR_CLASS_BYTES) {
      return bytes <= ODD_CLASS_BYTES ? ODD_CLASS_BYTES : 64 << 10;
    }
    return regular;
  }
}
