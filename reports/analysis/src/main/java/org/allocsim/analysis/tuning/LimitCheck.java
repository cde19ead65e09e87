package org.allocsim.analysis.tuning;

/**
 * One limit that a program was held against.
 *
 * @param subject what is limited
 * @param actual what the program has, in bytes or as a count
 * @param limit the maximum that is allowed
 * @param isSize whether the figures are bytes
 */
public record LimitCheck(String subject, long actual, long limit, boolean isSize) {
  /** Whether the limit is kept; a figure that equals its limit keeps it. */
  public boolean holds() {
    return actual <= limit;
  }

  /** A share of a whole in bytes, rounded down. */
  public static long shareOf(long wholeBytes, java.math.BigDecimal percent) {
    return percent
        .multiply(java.math.BigDecimal.valueOf(wholeBytes))
        .movePointLeft(2)
        .setScale(0, java.math.RoundingMode.DOWN)
        .longValueExact();
  }
}
