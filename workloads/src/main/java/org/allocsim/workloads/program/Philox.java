package org.allocsim.workloads.program;

/**
 * Random numbers as PyTorch draws them on a GPU, so that values are known on which a program's
 * course depends: Philox 4x32-10, one subsequence an element, as {@code curand4} gives them.
 */
public final class Philox {
  private static final long WORD = 0xffffffffL;
  private static final int ROUNDS = 10;

  private final long seed;
  private long calls;

  /** The generator after {@code torch.manual_seed(seed)}. */
  public Philox(long seed) {
    this.seed = seed;
  }

  /**
   * How many of the elements of the next {@code torch.randint(0, bound, ...)} on the device are 0.
   *
   * @param count elements, few enough for each to have a thread of its own (1056 blocks of 256)
   */
  public int zerosOfNext(int count, int bound) {
    if (count > 1056 * 256) {
      throw new IllegalArgumentException("more elements than threads: " + count);
    }
    int zeros = 0;
    for (int i = 0; i < count; i++) {
      if (first(calls, i) % bound == 0) {
        zeros++;
      }
    }
    calls++;
    return zeros;
  }

  private long first(long call, long element) {
    long a = call & WORD;
    long b = call >>> 32;
    long c = element & WORD;
    long d = element >>> 32;
    long key = seed & WORD;
    long otherKey = seed >>> 32;
    for (int round = 0; round < ROUNDS; round++) {
      long low = 0xD2511F53L * a;
      long high = 0xCD9E8D57L * c;
      long nextA = (high >>> 32) ^ b ^ key;
      long nextC = (low >>> 32) ^ d ^ otherKey;
      b = high & WORD;
      d = low & WORD;
      a = nextA & WORD;
      c = nextC & WORD;
      key = (key + 0x9E3779B9L) & WORD;
      otherKey = (otherKey + 0xBB67AE85L) & WORD;
    }
    return a;
  }
}
