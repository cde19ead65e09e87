package org.allocsim.validation.benchmark;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Values that were measured one after the other, none left out.
 *
 * @param values in the order in which they were measured; not empty
 */
public record Samples(List<Double> values) {
  private static final double HALF = 0.5;
  private static final double QUARTER = 0.25;

  /** Keeps its own copy; refuses to be empty. */
  public Samples {
    values = List.copyOf(values);
    if (values.isEmpty()) {
      throw new IllegalArgumentException("nothing was measured");
    }
  }

  public static Samples of(Collection<Double> values) {
    return new Samples(List.copyOf(values));
  }

  /** As many values are above as below. */
  public double median() {
    return quantile(HALF);
  }

  /** A quarter of the values is below. */
  public double lowerQuartile() {
    return quantile(QUARTER);
  }

  /** A quarter of the values is above. */
  public double upperQuartile() {
    return quantile(1 - QUARTER);
  }

  /** Minimum. */
  public double least() {
    return quantile(0);
  }

  /** Greatest value. */
  public double most() {
    return quantile(1);
  }

  /** Half the distance of the quartiles, as a share of the median. */
  public double spread() {
    return (upperQuartile() - lowerQuartile()) / 2 / median();
  }

  /** All values, each as often as it was measured, times a factor. */
  public Samples times(double factor) {
    return new Samples(values.stream().map(value -> value * factor).toList());
  }

  /** Between two values it is as far as between their ranks (R's type 7). */
  private double quantile(double share) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    double place = share * (sorted.length - 1);
    int below = (int) place;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }
}
