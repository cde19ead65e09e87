package org.allocsim.web.standin.java.util;

/**
 * SplitMix64 (Steele, Lea and Flood, 2014) with the constants of {@link
 * java.util.SplittableRandom}, so that the same seed gives the same numbers.
 */
public final class SplittableRandom {
  private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;
  private static final int MIN_TRANSITIONS = 24;

  private final long gamma;
  private long seed;

  /** Numbers that no seed repeats. */
  public SplittableRandom() {
    this(mix(System.nanoTime()));
  }

  /** The numbers of a seed. */
  public SplittableRandom(long seed) {
    this(seed, GOLDEN_GAMMA);
  }

  private SplittableRandom(long seed, long gamma) {
    this.seed = seed;
    this.gamma = gamma;
  }

  private long next() {
    seed += gamma;
    return seed;
  }

  private static long mix(long value) {
    long z = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }

  /** A second generator, independent of this one. */
  public SplittableRandom split() {
    long first = nextLong();
    long z = next();
    z = (z ^ z >>> 33) * 0xff51afd7ed558ccdL;
    z = (z ^ z >>> 33) * 0xc4ceb9fe1a85ec53L;
    z = z ^ z >>> 33 | 1;
    boolean isRegular = Long.bitCount(z ^ z >>> 1) < MIN_TRANSITIONS;
    return new SplittableRandom(first, isRegular ? z ^ 0xaaaaaaaaaaaaaaaaL : z);
  }

  /** Any 64 bits. */
  public long nextLong() {
    return mix(next());
  }

  /** A number from {@code origin} to below {@code bound}, whose distance is below 2^63. */
  public long nextLong(long origin, long bound) {
    long count = bound - origin;
    long drawn = nextLong();
    if ((count & count - 1) == 0) {
      return (drawn & count - 1) + origin;
    }
    long positive = drawn >>> 1;
    long rest = positive % count;
    // The last numbers, which do not fill a whole round, would favour the first of each.
    while (positive + count - 1 - rest < 0) {
      positive = nextLong() >>> 1;
      rest = positive % count;
    }
    return rest + origin;
  }

  /** Heads or tails. */
  public boolean nextBoolean() {
    long z = next();
    z = (z ^ z >>> 33) * 0x62a9d9ed799705f5L;
    return (z ^ z >>> 28) * 0xcb24d0a5c88c35b3L < 0;
  }

  /** A number from 0 to below 1. */
  public double nextDouble() {
    return (nextLong() >>> 11) * 0x1.0p-53;
  }
}
