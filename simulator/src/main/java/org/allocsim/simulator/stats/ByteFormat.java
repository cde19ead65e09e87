package org.allocsim.simulator.stats;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Byte counts as text: as PyTorch's error messages print them, and as our own tables do. */
public final class ByteFormat {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

  private ByteFormat() {}

  /**
   * A size as PyTorch's C++ messages show it (2.0 to 2.14): {@code "512 bytes"}, {@code "2.00
   * MiB"}. Each unit still serves its own upper bound (exactly 1 GiB is {@code "1024.00 MiB"}), and
   * the exact binary value is rounded to two decimals with ties to even.
   *
   * @param bytes unsigned
   */
  public static String formatSize(long bytes) {
    if (Long.compareUnsigned(bytes, 1L << 10) <= 0) {
      return bytes + " bytes";
    }
    if (Long.compareUnsigned(bytes, 1L << 20) <= 0) {
      return twoDecimals(bytes, 10) + " KiB";
    }
    if (Long.compareUnsigned(bytes, 1L << 30) <= 0) {
      return twoDecimals(bytes, 20) + " MiB";
    }
    return twoDecimals(bytes, 30) + " GiB";
  }

  /**
   * A size for our own tables: {@code "14.50 GiB"}, {@code "512 B"}; the largest unit that leaves
   * at least 1 after rounding, two decimals, ties to even. Differences may be negative.
   */
  public static String human(long bytes) {
    if (bytes < 0) {
      return bytes == Long.MIN_VALUE ? "-8.00 EiB" : "-" + human(-bytes);
    }
    int unit = 0;
    while (bytes >> (10 * unit) >= 1024) {
      unit++;
    }
    if (unit == 0) {
      return bytes + " B";
    }
    BigDecimal value = scaled(BigDecimal.valueOf(bytes), 10 * unit);
    if (value.intValue() == 1024) {
      unit++;
      value = scaled(BigDecimal.valueOf(bytes), 10 * unit);
    }
    return value + " " + UNITS[unit];
  }

  /** The quotient as a double, which is what PyTorch prints, to two decimals. */
  private static BigDecimal twoDecimals(long bytes, int shift) {
    double asDouble = bytes >= 0 ? bytes : 2.0 * ((bytes >>> 1) | (bytes & 1));
    return scaled(new BigDecimal(asDouble), shift);
  }

  private static BigDecimal scaled(BigDecimal bytes, int shift) {
    BigDecimal unit = BigDecimal.valueOf(1L << shift);
    return bytes.divide(unit, 2, RoundingMode.HALF_EVEN);
  }
}
