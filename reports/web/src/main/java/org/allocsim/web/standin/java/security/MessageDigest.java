package org.allocsim.web.standin.java.security;

/** SHA-256 (FIPS 180-4), the only digest that the program uses. */
public final class MessageDigest {
  private static final int BLOCK_BYTES = 64;
  private static final int ROUNDS = 64;

  /** First 32 bits of the fractional parts of the cube roots of the first 64 primes. */
  private static final int[] CONSTANTS = fractions(ROUNDS, 1.0 / 3);

  /** The same of the square roots of the first 8. */
  private static final int[] START = fractions(8, 0.5);

  private final int[] state = START.clone();

  private final byte[] block = new byte[BLOCK_BYTES];
  private final int[] words = new int[ROUNDS];
  private long bytes;

  private MessageDigest() {}

  /** A digest of nothing yet. */
  public static MessageDigest getInstance(String algorithm) {
    if (!algorithm.equals("SHA-256")) {
      throw new IllegalArgumentException(algorithm + " is unknown here");
    }
    return new MessageDigest();
  }

  /** A double holds 52 bits of the root, of which the whole part takes at most five. */
  private static int[] fractions(int count, double power) {
    int[] fractions = new int[count];
    int found = 0;
    for (int candidate = 2; found < count; candidate++) {
      boolean isPrime = true;
      for (int divisor = 2; divisor * divisor <= candidate; divisor++) {
        isPrime &= candidate % divisor != 0;
      }
      if (isPrime) {
        double root = power == 0.5 ? Math.sqrt(candidate) : Math.cbrt(candidate);
        fractions[found++] = (int) (long) ((root - Math.floor(root)) * 0x1p32);
      }
    }
    return fractions;
  }

  /** Takes one further byte. */
  public void update(byte one) {
    update(new byte[] {one}, 0, 1);
  }

  /** Takes further bytes. */
  public void update(byte[] source, int offset, int length) {
    int from = offset;
    int end = offset + length;
    while (from < end) {
      int filled = (int) (bytes % BLOCK_BYTES);
      if (filled == 0 && end - from >= BLOCK_BYTES) {
        compress(source, from);
        from += BLOCK_BYTES;
        bytes += BLOCK_BYTES;
        continue;
      }
      int part = Math.min(end - from, BLOCK_BYTES - filled);
      System.arraycopy(source, from, block, filled, part);
      from += part;
      bytes += part;
      if (filled + part == BLOCK_BYTES) {
        compress(block, 0);
      }
    }
  }

  /** The digest of all bytes; what comes next begins anew. */
  public byte[] digest() {
    long bits = bytes * Byte.SIZE;
    int padding = BLOCK_BYTES - (int) ((bytes + Long.BYTES) % BLOCK_BYTES);
    byte[] end = new byte[padding + Long.BYTES];
    end[0] = (byte) 0x80;
    for (int i = 0; i < Long.BYTES; i++) {
      end[end.length - 1 - i] = (byte) (bits >>> Byte.SIZE * i);
    }
    update(end, 0, end.length);
    byte[] digest = new byte[state.length * Integer.BYTES];
    for (int i = 0; i < digest.length; i++) {
      digest[i] = (byte) (state[i / 4] >>> 24 - i % 4 * Byte.SIZE);
    }
    reset();
    return digest;
  }

  /** Begins anew. */
  public void reset() {
    System.arraycopy(START, 0, state, 0, state.length);
    bytes = 0;
  }

  private void compress(byte[] source, int offset) {
    int[] w = words;
    for (int i = 0; i < 16; i++) {
      int at = offset + i * Integer.BYTES;
      w[i] =
          source[at] << 24
              | (source[at + 1] & 0xff) << 16
              | (source[at + 2] & 0xff) << 8
              | source[at + 3] & 0xff;
    }
    for (int i = 16; i < ROUNDS; i++) {
      int early = w[i - 15];
      int late = w[i - 2];
      w[i] =
          w[i - 16]
              + (turn(early, 7) ^ turn(early, 18) ^ early >>> 3)
              + w[i - 7]
              + (turn(late, 17) ^ turn(late, 19) ^ late >>> 10);
    }
    int a = state[0];
    int b = state[1];
    int c = state[2];
    int d = state[3];
    int e = state[4];
    int f = state[5];
    int g = state[6];
    int h = state[7];
    for (int i = 0; i < ROUNDS; i++) {
      int first =
          h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (e & f ^ ~e & g) + CONSTANTS[i] + w[i];
      int second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c);
      h = g;
      g = f;
      f = e;
      e = d + first;
      d = c;
      c = b;
      b = a;
      a = first + second;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }

  private static int turn(int word, int bits) {
    return word >>> bits | word << 32 - bits;
  }
}
