package org.allocsim.analysis.oom;

/**
 * An amount of memory that is known up to the rounding of the text it came from. All in bytes.
 *
 * @param low smallest possible amount
 * @param value amount as printed
 * @param high largest possible amount
 */
public record ByteRange(double low, double value, double high) {
  /** Checks the order. */
  public ByteRange {
    if (!(low <= value && value <= high)) {
      throw new IllegalArgumentException(low + " <= " + value + " <= " + high + " does not hold");
    }
  }

  /** The sum; its error is the sum of the errors. */
  public ByteRange plus(ByteRange other) {
    return new ByteRange(low + other.low, value + other.value, high + other.high);
  }

  /** The difference; its error is the sum of the errors. */
  public ByteRange minus(ByteRange other) {
    return new ByteRange(low - other.high, value - other.value, high - other.low);
  }

  /** The same amount with the opposite sign. */
  public ByteRange negated() {
    return new ByteRange(-high, -value, -low);
  }

  /** The smaller of two amounts. */
  public ByteRange smaller(ByteRange other) {
    return new ByteRange(
        Math.min(low, other.low), Math.min(value, other.value), Math.min(high, other.high));
  }

  /** How far the true amount may lie from the printed one. */
  public double error() {
    return Math.max(high - value, value - low);
  }
}
