package org.allocsim.reports.html;

import java.util.Arrays;
import java.util.zip.Deflater;

/**
 * Whole numbers in few bytes: seven bits a byte, the lowest first, the highest bit set where more
 * follow. Numbers stay below 2<sup>53</sup>, which is what JavaScript reads exactly.
 */
final class ColumnWriter {
  private static final long LIMIT = 1L << 53;
  private static final int LOW_BITS = 0x7f;
  private static final int MORE = 0x80;
  private static final int MAX_BYTES = 8;
  private static final int MUCH = 4 << 20;

  private byte[] bytes = new byte[1 << 12];
  private int count;

  /**
   * Appends a number from 0 on.
   *
   * @throws PageException where it is too large
   */
  void put(long number) {
    if (number < 0 || number >= LIMIT) {
      throw new PageException(Long.toString(number));
    }
    append(number);
  }

  private void append(long number) {
    if (count + MAX_BYTES > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.addExact(bytes.length, bytes.length >> 1));
    }
    long rest = number;
    while (rest > LOW_BITS) {
      bytes[count++] = (byte) (rest & LOW_BITS | MORE);
      rest >>>= 7;
    }
    bytes[count++] = (byte) rest;
  }

  /**
   * Appends a number of either sign: 0, −1, 1, −2, … become 0, 1, 2, 3, …
   *
   * @throws PageException where it is 2<sup>52</sup> or more on either side
   */
  void putSigned(long number) {
    long code = zigzag(number);
    if (code < 0 || code >= LIMIT) {
      throw new PageException(Long.toString(number));
    }
    append(code);
  }

  /**
   * Appends a number less another, of either sign.
   *
   * @throws PageException where the difference is 2<sup>52</sup> or more on either side
   */
  void putDifference(long number, long before) {
    long difference = number - before;
    if (((number ^ before) & (number ^ difference)) < 0) {
      throw new PageException("the difference of " + number + " and " + before);
    }
    putSigned(difference);
  }

  static long zigzag(long number) {
    return number << 1 ^ number >> 63;
  }

  /** Bytes so far. */
  int size() {
    return count;
  }

  /** All of it, deflated without a header; harder where that takes no time to speak of. */
  byte[] deflated() {
    int level = count > MUCH ? Deflater.BEST_SPEED : Deflater.BEST_COMPRESSION;
    try (Deflater deflater = new Deflater(level, true)) {
      deflater.setInput(bytes, 0, count);
      deflater.finish();
      byte[] out = new byte[Math.max(64, count / 4)];
      int length = 0;
      while (!deflater.finished()) {
        if (length == out.length) {
          out = Arrays.copyOf(out, Math.addExact(length, length >> 1));
        }
        length += deflater.deflate(out, length, out.length - length);
      }
      return Arrays.copyOf(out, length);
    }
  }
}
