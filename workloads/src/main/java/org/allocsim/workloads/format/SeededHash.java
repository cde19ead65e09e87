package org.allocsim.workloads.format;

/**
 * Places of numbers in hash tables. As the seed is another in every run, a file cannot choose
 * numbers that collide.
 */
final class SeededHash {
  private final long seed = System.nanoTime() | 1;

  /** A place, of which the lower bits count. */
  int of(long number) {
    long h = (number ^ seed) * 0x9E3779B97F4A7C15L;
    h ^= h >>> 32;
    h *= 0xD6E8FEB86659FD93L;
    return (int) (h ^ (h >>> 32));
  }
}
