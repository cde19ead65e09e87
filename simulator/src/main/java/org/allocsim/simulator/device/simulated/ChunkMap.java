package org.allocsim.simulator.device.simulated;

import java.util.Arrays;

/**
 * Which chunks of a pool have memory and which lie wholly inside one shared free range. Two bitmaps
 * over chunk numbers; chunks beyond them have no memory and lie in the endless shared rest.
 */
final class ChunkMap {
  /** No chunk. */
  static final int NONE = -1;

  private long[] backed = new long[4];
  private long[] shared = new long[4];

  ChunkMap() {
    Arrays.fill(shared, -1);
  }

  /** Whether a chunk has memory. */
  boolean isBacked(long chunk) {
    return chunk < limit() && (backed[(int) (chunk >>> 6)] & (1L << chunk)) != 0;
  }

  /** Number of chunks in [from, to) that have memory. */
  int countBacked(long from, long to) {
    int sum = 0;
    long end = Math.min(to, limit());
    for (long chunk = from; chunk < end; chunk = (chunk | 63) + 1) {
      sum += Long.bitCount(backed[(int) (chunk >>> 6)] & mask(chunk, end));
    }
    return sum;
  }

  /** The first chunk from here on that has memory, or {@link #NONE}. */
  int nextBacked(int from) {
    for (long chunk = from; chunk < limit(); chunk = (chunk | 63) + 1) {
      long word = backed[(int) (chunk >>> 6)] & mask(chunk, limit());
      if (word != 0) {
        return (int) (chunk & ~63) + Long.numberOfTrailingZeros(word);
      }
    }
    return NONE;
  }

  /** The first chunk from here on that has no memory. */
  int nextUnbacked(int from) {
    int chunk = from;
    while (isBacked(chunk)) {
      chunk++;
    }
    return chunk;
  }

  /** The highest chunk below {@code end} that has memory and is wholly free, or {@link #NONE}. */
  int highestIdle(long end) {
    for (long chunk = Math.min(end, limit()) - 1; chunk >= 0; chunk = (chunk & ~63) - 1) {
      int word = (int) (chunk >>> 6);
      long idle = backed[word] & shared[word] & mask(chunk & ~63, chunk + 1);
      if (idle != 0) {
        return (word << 6) + 63 - Long.numberOfLeadingZeros(idle);
      }
    }
    return NONE;
  }

  /** Makes room for chunk numbers below {@code end}. */
  void reserve(int end) {
    if (end > limit()) {
      int words = Math.max((end >>> 6) + 1, 2 * backed.length);
      backed = Arrays.copyOf(backed, words);
      int old = shared.length;
      shared = Arrays.copyOf(shared, words);
      Arrays.fill(shared, old, words, -1);
    }
  }

  /** Notes that a chunk below the reserved end has memory. */
  void back(int chunk) {
    backed[chunk >>> 6] |= 1L << chunk;
  }

  /** Notes that a chunk has no memory any more. */
  void unback(int chunk) {
    backed[chunk >>> 6] &= ~(1L << chunk);
  }

  /** Notes that the chunks in [from, to) lie wholly inside one shared free range. */
  void share(long from, long to) {
    long end = Math.min(to, limit());
    for (long chunk = from; chunk < end; chunk = (chunk | 63) + 1) {
      shared[(int) (chunk >>> 6)] |= mask(chunk, end);
    }
  }

  /** Notes that the chunks in [from, to) are in use, in part at least. */
  void unshare(long from, long to) {
    long end = Math.min(to, limit());
    for (long chunk = from; chunk < end; chunk = (chunk | 63) + 1) {
      shared[(int) (chunk >>> 6)] &= ~mask(chunk, end);
    }
  }

  private int limit() {
    return backed.length << 6;
  }

  /** Bits of the chunks from here to the end of the word, cut at {@code end}. */
  private static long mask(long chunk, long end) {
    long fromChunk = -1L << chunk;
    long wordEnd = (chunk | 63) + 1;
    return end >= wordEnd ? fromChunk : fromChunk & ((1L << end) - 1);
  }
}
