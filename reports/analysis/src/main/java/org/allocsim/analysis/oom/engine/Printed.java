package org.allocsim.analysis.oom.engine;

/**
 * A number as a log prints it, in bytes where it is a size: the true one lies between two bounds,
 * since the log rounds.
 *
 * @param low smallest number that prints so
 * @param value the number
 * @param high largest number that prints so
 */
public record Printed(double low, double value, double high) {
  /**
   * The number of a text of decimal digits, at most one point, and commas that group them.
   *
   * @param minDecimals places after the point to which it was rounded, if it has fewer
   */
  static Printed of(String text, double scale, int minDecimals) {
    int point = text.indexOf('.');
    double value = Double.parseDouble(text.replace(",", "")) * scale;
    int decimals = Math.max(minDecimals, decimals(text));
    double error = point < 0 && scale == 1 ? 0 : scale * Math.pow(10, -decimals) / 2;
    return new Printed(value - error, value, value + error);
  }

  private static int decimals(String text) {
    int point = text.indexOf('.');
    return point < 0 ? 0 : text.length() - point - 1;
  }

  /** The sum; its error is the sum of the errors. */
  Printed plus(Printed other) {
    return new Printed(low + other.low, value + other.value, high + other.high);
  }

  /** The difference; its error is the sum of the errors. */
  Printed minus(Printed other) {
    return new Printed(low - other.high, value - other.value, high - other.low);
  }
}
