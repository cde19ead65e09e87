package org.allocsim.analysis.leak;

/**
 * How much of a deviation from its trend a series carries over from one value to the next: the
 * coefficient ρ of an autoregression of the deviations from a least-squares line.
 *
 * <p>In short series the estimate is far too small, because the line follows a series that wanders;
 * for a random walk of 20 values it is one half on average. It is corrected as Roy and Fuller
 * (2001) do for a line, which leaves series without persistence nearly alone and takes one half of
 * all random walks to 1. A corrected value within {@code n^-1/2} of 1 counts as 1: then deviations
 * never fade, and only the differences between neighbours show a trend (Perron and Yabu 2009).
 *
 * @param rho the corrected coefficient, from −1 to 1
 * @param isWalk whether it counts as 1
 */
record Persistence(double rho, boolean isWalk) {
  /** No persistence at all: of what has no deviations. */
  private static final Persistence NONE = new Persistence(0, false);

  /** Median of the t statistic of ρ = 1 for random walks with a line fitted (Fuller 1976). */
  private static final double MEDIAN_T = -2.18;

  /** Constants of the correction for a line; the names are Perron's and Yabu's. */
  private static final double A = 10;

  private static final double REGRESSORS_AND_ONE = 3;

  /** Too few to decide. */
  private static final int FEWEST = 6;

  /** A fraction of the variance that rounding errors may leave of nothing. */
  private static final double NOTHING = 1e-9;

  static Persistence of(double[] values) {
    int n = values.length;
    if (n < FEWEST) {
      return NONE;
    }
    double[] rests = deviations(values);
    double product = 0;
    double square = 0;
    for (int i = 1; i < n; i++) {
      product += rests[i] * rests[i - 1];
      square += rests[i - 1] * rests[i - 1];
    }
    double whole = 0;
    for (double value : values) {
      whole += (value - values[0]) * (value - values[0]);
    }
    if (square <= NOTHING * whole) {
      return NONE;
    }
    double rho = product / square;
    double errors = 0;
    for (int i = 1; i < n; i++) {
      double error = rests[i] - rho * rests[i - 1];
      errors += error * error;
    }
    double deviation = Math.sqrt(errors / (n - 2) / square);
    if (deviation == 0) {
      return NONE;
    }
    double corrected = rho + correction((rho - 1) / deviation, n) * deviation;
    boolean walk = corrected >= 1 - 1 / Math.sqrt(n);
    return new Persistence(Math.clamp(corrected, -1, 1), walk);
  }

  private static double correction(double t, int n) {
    if (t > MEDIAN_T) {
      return -t;
    }
    if (t > -A) {
      double c =
          (REGRESSORS_AND_ONE * n - MEDIAN_T * MEDIAN_T * (1 + n))
              / (MEDIAN_T * (A + MEDIAN_T) * (1 + n));
      return t / n - REGRESSORS_AND_ONE / (t + c * (t + A));
    }
    return t > -Math.sqrt(REGRESSORS_AND_ONE * n) ? t / n - REGRESSORS_AND_ONE / t : 0;
  }

  private static double[] deviations(double[] values) {
    int n = values.length;
    double middle = (n - 1) / 2.0;
    double mean = 0;
    for (double value : values) {
      mean += (value - values[0]) / n;
    }
    double slope = 0;
    double spread = 0;
    for (int i = 0; i < n; i++) {
      slope += (i - middle) * (values[i] - values[0] - mean);
      spread += (i - middle) * (i - middle);
    }
    slope /= spread;
    double[] rests = new double[n];
    for (int i = 0; i < n; i++) {
      rests[i] = values[i] - values[0] - mean - slope * (i - middle);
    }
    return rests;
  }

  /**
   * Factor by which the persistence raises the variance of a line's slope, over what the deviations
   * themselves make one expect, for n values: exact for an autoregression that runs for ever, and
   * at least 1.
   */
  double inflation(int n) {
    if (rho <= 0) {
      return 1;
    }
    double middle = (n - 1) / 2.0;
    double spread = 0;
    double slope = 0;
    double mean = 0;
    double power = 1;
    for (int lag = 0; lag < n; lag++) {
      double products = 0;
      for (int i = lag; i < n; i++) {
        products += (i - middle) * (i - lag - middle);
      }
      double twice = lag == 0 ? 1 : 2;
      spread = lag == 0 ? products : spread;
      slope += twice * power * products;
      mean += twice * power * (n - lag);
      power *= rho;
    }
    // Deviations from a line have lost what its mean and slope took of the variance.
    double kept = n - mean / n - slope / spread;
    return kept <= 0 ? n : Math.max(1, slope / spread * (n - 2) / kept);
  }
}
