package org.allocsim.workloads.program;

/**
 * Random numbers as Python's {@code random.Random(seed)} draws them, so that a program drawn here
 * has the lengths that it has there (CPython 3.12: MT19937, {@code init_by_array}, {@code
 * _randbelow_with_getrandbits}).
 */
public final class MersenneTwister {
  private static final int SIZE = 624;
  private static final int MIDDLE = 397;

  private final int[] state = new int[SIZE];
  private int next = SIZE;

  /** The generator that {@code random.Random(seed)} is, for a seed of 0 or more. */
  public MersenneTwister(long seed) {
    if (seed < 0) {
      throw new IllegalArgumentException("seed " + seed + " is negative");
    }
    int[] key =
        seed >>> 32 == 0 ? new int[] {(int) seed} : new int[] {(int) seed, (int) (seed >>> 32)};
    fill(19650218);
    int i = 1;
    int j = 0;
    for (int k = SIZE; k > 0; k--) {
      state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >>> 30)) * 1664525)) + key[j] + j;
      i++;
      j = (j + 1) % key.length;
      i = wrapped(i);
    }
    for (int k = SIZE - 1; k > 0; k--) {
      state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >>> 30)) * 1566083941)) - i;
      i = wrapped(i + 1);
    }
    state[0] = 0x80000000;
  }

  private int wrapped(int i) {
    if (i < SIZE) {
      return i;
    }
    state[0] = state[SIZE - 1];
    return 1;
  }

  private void fill(int seed) {
    state[0] = seed;
    for (int i = 1; i < SIZE; i++) {
      state[i] = 1812433253 * (state[i - 1] ^ (state[i - 1] >>> 30)) + i;
    }
  }

  /** The next 32 bits. */
  public int nextBits() {
    if (next == SIZE) {
      for (int i = 0; i < SIZE; i++) {
        int joined = (state[i] & 0x80000000) | (state[(i + 1) % SIZE] & 0x7fffffff);
        int turned = state[(i + MIDDLE) % SIZE] ^ (joined >>> 1);
        state[i] = (joined & 1) == 0 ? turned : turned ^ 0x9908b0df;
      }
      next = 0;
    }
    int bits = state[next++];
    bits ^= bits >>> 11;
    bits ^= (bits << 7) & 0x9d2c5680;
    bits ^= (bits << 15) & 0xefc60000;
    return bits ^ (bits >>> 18);
  }

  /** {@code random()}: a number from 0 to below 1. */
  public double nextDouble() {
    int high = nextBits() >>> 5;
    int low = nextBits() >>> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }

  /** {@code randint(least, most)}: both ends are possible. */
  public int between(int least, int most) {
    if (most < least) {
      throw new IllegalArgumentException("no number is between " + least + " and " + most);
    }
    long count = (long) most - least + 1;
    int bits = 64 - Long.numberOfLeadingZeros(count);
    long drawn = nextBits() >>> (32 - bits) & 0xffffffffL;
    while (drawn >= count) {
      drawn = nextBits() >>> (32 - bits) & 0xffffffffL;
    }
    return (int) (least + drawn);
  }
}
