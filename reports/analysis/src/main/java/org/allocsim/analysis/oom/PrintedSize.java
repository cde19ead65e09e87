package org.allocsim.analysis.oom;

import java.util.Locale;

/**
 * A size as a message prints it, and the bytes it can stand for: half a unit of the last printed
 * digit to either side. Sizes in plain bytes are exact.
 *
 * @param text number, blank and unit, as PyTorch prints them
 * @param bytes the bytes it can stand for
 */
public record PrintedSize(String text, ByteRange bytes) {
  /** What PyTorch prints for "unlimited" and "not known": 2^64 or the values next to it. */
  private static final double UNKNOWN_BYTES = 0x1p63;

  /**
   * Reads a number and its unit.
   *
   * @param number decimal digits, at most one point; commas may group them
   * @param unit {@code bytes} or nothing, {@code KiB}, {@code MiB}, {@code GiB}, {@code TiB};
   *     {@code KB} and the like count as powers of 1024, which is what the versions that wrote them
   *     meant
   */
  static PrintedSize of(String number, String unit) {
    double scale =
        switch (unit.isEmpty() ? 'B' : Character.toUpperCase(unit.charAt(0))) {
          case 'K' -> 0x1p10;
          case 'M' -> 0x1p20;
          case 'G' -> 0x1p30;
          case 'T' -> 0x1p40;
          default -> 1;
        };
    int point = number.indexOf('.');
    int decimals = point < 0 ? 0 : number.length() - point - 1;
    double value = Double.parseDouble(number.replace(",", "")) * scale;
    double error = scale == 1 && decimals == 0 ? 0 : scale * Math.pow(10, -decimals) / 2;
    return new PrintedSize(
        number + " " + (scale == 1 ? "bytes" : unit),
        new ByteRange(Math.max(0, value - error), value, value + error));
  }

  /** Whether the number stands for "no limit" or "not known" instead of an amount. */
  boolean isUnknown() {
    return bytes.value() >= UNKNOWN_BYTES;
  }

  /** An amount in GiB, or in MiB below one; bytes where MiB would print as zero. */
  static String describe(double bytes) {
    double size = Math.abs(bytes);
    if (size >= 0x1p30) {
      return String.format(Locale.ROOT, "%.2f GiB", bytes / 0x1p30);
    }
    if (size >= 0.005 * 0x1p20) {
      return String.format(Locale.ROOT, "%.2f MiB", bytes / 0x1p20);
    }
    return String.format(Locale.ROOT, "%.0f bytes", bytes);
  }
}
