package org.allocsim.analysis.idle.profile;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Reads times of profiles, decimal microseconds, as nanoseconds. */
final class Micros {
  /** Times and durations end here, so that two of them add up within 64 bits. */
  static final long MAX_NANOS = 3_000_000_000_000_000_000L;

  /** Stands for what is no time, or out of range. */
  static final long NONE = Long.MIN_VALUE;

  private static final int NANO_DIGITS = 3;
  private static final int MAX_DIGITS = 16;
  private static final int MAX_PLAIN_DIGITS = 15;
  private static final BigDecimal NANOS_PER_MICRO = BigDecimal.valueOf(1_000);

  private Micros() {}

  /** Nanoseconds, rounded half up. */
  static long nanos(char[] characters, int offset, int length) {
    boolean isNegative = length > 0 && characters[offset] == '-';
    long value = 0;
    int whole = 0;
    int fraction = -1;
    for (int i = isNegative ? 1 : 0; i < length; i++) {
      char c = characters[offset + i];
      if (c == '.' && fraction < 0) {
        fraction = 0;
      } else if (c < '0' || c > '9') {
        return slowly(characters, offset, length);
      } else if (fraction < 0) {
        value = value * 10 + (c - '0');
        if (++whole > MAX_PLAIN_DIGITS) {
          return slowly(characters, offset, length);
        }
      } else if (fraction < NANO_DIGITS) {
        value = value * 10 + (c - '0');
        fraction++;
      } else {
        if (fraction == NANO_DIGITS && c >= '5') {
          value++;
        }
        fraction++;
      }
    }
    for (int i = Math.max(0, fraction); i < NANO_DIGITS; i++) {
      value *= 10;
    }
    return isNegative ? -value : value;
  }

  /** What has an exponent or very many digits; its size is looked at before it is computed. */
  private static long slowly(char[] characters, int offset, int length) {
    try {
      BigDecimal micros = new BigDecimal(characters, offset, length);
      long digits = (long) micros.precision() - micros.scale();
      if (micros.signum() == 0 || digits < -NANO_DIGITS) {
        return 0;
      }
      if (digits > MAX_DIGITS) {
        return NONE;
      }
      long nanos =
          micros.multiply(NANOS_PER_MICRO).setScale(0, RoundingMode.HALF_UP).longValueExact();
      return Math.abs(nanos) > MAX_NANOS ? NONE : nanos;
    } catch (ArithmeticException | NumberFormatException _) {
      return NONE;
    }
  }
}
