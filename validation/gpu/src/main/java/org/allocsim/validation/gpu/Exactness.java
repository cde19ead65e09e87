package org.allocsim.validation.gpu;

/**
 * How often a predicted quantity was right, and how far off it was.
 *
 * @param compared number of comparisons
 * @param exact those without any difference
 * @param maxError largest difference, without its sign
 * @param meanError mean of all differences, without their signs
 */
public record Exactness(long compared, long exact, long maxError, double meanError) {
  /** Whether nothing differed. */
  public boolean isExact() {
    return compared == exact;
  }

  /** The comparison of one value. */
  public static Exactness of(long predicted, long measured) {
    Sum one = new Sum();
    one.add(predicted, measured);
    return one.result();
  }

  /** Sums up comparisons. */
  static final class Sum {
    private long compared;
    private long exact;
    private long maxError;
    private double errors;

    void add(long predicted, long measured) {
      long error = Math.abs(predicted - measured);
      compared++;
      exact += error == 0 ? 1 : 0;
      maxError = Math.max(maxError, error);
      errors += error;
    }

    Exactness result() {
      return new Exactness(compared, exact, maxError, compared == 0 ? 0 : errors / compared);
    }
  }
}
