package org.allocsim.validation.calibration;

import java.util.Arrays;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.QRDecomposition;
import org.apache.commons.math3.linear.RealMatrix;
import org.apache.commons.math3.random.RandomGenerator;
import org.apache.commons.math3.random.Well19937c;
import org.apache.commons.math3.stat.descriptive.rank.Median;
import org.apache.commons.math3.stat.descriptive.rank.Percentile;

/**
 * A linear model of times, fitted by iteratively reweighted least squares with Huber's weights: a
 * call that is far off the model, such as one during which the thread was interrupted, counts less
 * the farther it is off. Errors are taken relative to the modelled time, because long calls vary
 * more, so that a few large calls do not decide what small ones cost.
 *
 * <p>A term that did not vary among the calls, or only together with others, has no estimate.
 * Intervals of 95 % are percentiles of fits to resampled calls.
 */
public final class RobustFit {
  private static final int ITERATIONS = 40;
  private static final int RESAMPLES = 100;
  private static final int MAX_RESAMPLED = 3_000;
  private static final double HUBER = 1.345;
  private static final double DEVIATIONS_PER_MAD = 1.4826;
  private static final double MIN_NANOS = 100;
  private static final long SEED = 20_251_121;

  private final Estimate[] estimates;
  private final double[] relativeErrors;
  private final double measured;
  private final double fitted;

  /**
   * One parameter.
   *
   * @param value its estimate, not a number where there is none
   * @param low lower end of its 95 % interval
   * @param high upper end
   */
  public record Estimate(double value, double low, double high) {
    /** No estimate. */
    static final Estimate NONE = new Estimate(Double.NaN, Double.NaN, Double.NaN);

    /** Whether there is an estimate. */
    public boolean isKnown() {
      return !Double.isNaN(value);
    }
  }

  private RobustFit(Estimate[] estimates, double[] relativeErrors, double measured, double fitted) {
    this.estimates = estimates;
    this.relativeErrors = relativeErrors;
    this.measured = measured;
    this.fitted = fitted;
  }

  /** Fits the parameters of a class: the fixed time, then one for each term. */
  static RobustFit of(Observations calls) {
    int width = calls.terms() + 1;
    Estimate[] estimates = new Estimate[width];
    Arrays.fill(estimates, Estimate.NONE);
    int count = calls.count();
    if (count == 0) {
      return new RobustFit(estimates, new double[0], 0, 0);
    }
    double[][] rows = new double[count][];
    double[] nanos = new double[count];
    for (int row = 0; row < count; row++) {
      nanos[row] = calls.nanos(row);
      rows[row] = new double[width];
      rows[row][0] = 1;
      for (int term = 1; term < width; term++) {
        rows[row][term] = calls.term(row, term - 1);
      }
    }
    int[] used = independent(rows, width);
    double[][] design = columns(rows, used);
    double[] solution = solve(design, nanos);
    double[][] resampled = resample(design, nanos);
    for (int i = 0; i < used.length; i++) {
      estimates[used[i]] =
          new Estimate(
              solution[i],
              new Percentile().evaluate(resampled[i], 2.5),
              new Percentile().evaluate(resampled[i], 97.5));
    }
    double measured = 0;
    double fitted = 0;
    double[] errors = new double[count];
    for (int row = 0; row < count; row++) {
      double model = value(design[row], solution);
      measured += nanos[row];
      fitted += model;
      errors[row] = (nanos[row] - model) / Math.max(MIN_NANOS, model);
    }
    return new RobustFit(estimates, errors, measured, fitted);
  }

  /** The estimate of one parameter. */
  public Estimate estimate(int parameter) {
    return estimates[parameter];
  }

  /** Number of calls. */
  public int calls() {
    return relativeErrors.length;
  }

  /** Percentile of the relative errors of the calls, measured less modelled time. */
  public double errorPercentile(double percent) {
    return relativeErrors.length == 0
        ? Double.NaN
        : new Percentile().evaluate(relativeErrors, percent);
  }

  /** Modelled over measured time of all calls together. */
  public double ratio() {
    return measured == 0 ? Double.NaN : fitted / measured;
  }

  /** Columns that the others before them do not determine, by Gram and Schmidt. */
  private static int[] independent(double[][] rows, int width) {
    int[] used = new int[width];
    int count = 0;
    double[][] basis = new double[width][];
    for (int column = 0; column < width; column++) {
      double[] vector = new double[rows.length];
      double length = 0;
      for (int row = 0; row < rows.length; row++) {
        vector[row] = rows[row][column];
        length += vector[row] * vector[row];
      }
      for (int i = 0; i < count; i++) {
        double product = 0;
        for (int row = 0; row < rows.length; row++) {
          product += vector[row] * basis[i][row];
        }
        for (int row = 0; row < rows.length; row++) {
          vector[row] -= product * basis[i][row];
        }
      }
      double rest = 0;
      for (double value : vector) {
        rest += value * value;
      }
      if (rest > 1e-9 * length && rest > 0) {
        double scale = Math.sqrt(rest);
        for (int row = 0; row < rows.length; row++) {
          vector[row] /= scale;
        }
        basis[count] = vector;
        used[count++] = column;
      }
    }
    return Arrays.copyOf(used, count);
  }

  private static double[][] columns(double[][] rows, int[] used) {
    double[][] design = new double[rows.length][used.length];
    for (int row = 0; row < rows.length; row++) {
      for (int i = 0; i < used.length; i++) {
        design[row][i] = rows[row][used[i]];
      }
    }
    return design;
  }

  private static double value(double[] row, double[] solution) {
    double sum = 0;
    for (int i = 0; i < row.length; i++) {
      sum += row[i] * solution[i];
    }
    return sum;
  }

  private static double[] solve(double[][] design, double[] nanos) {
    int count = nanos.length;
    double[] weights = new double[count];
    double middle = new Median().evaluate(nanos);
    double[] spread = new double[count];
    for (int row = 0; row < count; row++) {
      // Before there is a model, a call's own time stands for its size.
      double size = Math.max(MIN_NANOS, Math.max(middle, nanos[row]));
      weights[row] = 1 / (size * size);
    }
    double[] solution = leastSquares(design, nanos, weights);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
      double[] sizes = new double[count];
      double[] errors = new double[count];
      for (int row = 0; row < count; row++) {
        double model = value(design[row], solution);
        sizes[row] = Math.max(Math.max(MIN_NANOS, middle / 10), model);
        errors[row] = (nanos[row] - model) / sizes[row];
        spread[row] = Math.abs(errors[row]);
      }
      double deviation = DEVIATIONS_PER_MAD * new Median().evaluate(spread);
      if (deviation < 1e-12) {
        break;
      }
      for (int row = 0; row < count; row++) {
        double off = spread[row] / deviation;
        weights[row] = (off <= HUBER ? 1 : HUBER / off) / (sizes[row] * sizes[row]);
      }
      double[] next = leastSquares(design, nanos, weights);
      double change = 0;
      for (int i = 0; i < next.length; i++) {
        change = Math.max(change, Math.abs(next[i] - solution[i]) / Math.max(1, next[i]));
      }
      solution = next;
      if (change < 1e-9) {
        break;
      }
    }
    return solution;
  }

  /** Solves the normal equations with columns scaled to similar size. */
  private static double[] leastSquares(double[][] design, double[] nanos, double[] weights) {
    int width = design[0].length;
    double[] scale = new double[width];
    for (int row = 0; row < nanos.length; row++) {
      for (int i = 0; i < width; i++) {
        scale[i] += weights[row] * design[row][i] * design[row][i];
      }
    }
    for (int i = 0; i < width; i++) {
      scale[i] = Math.sqrt(scale[i]);
    }
    double[][] products = new double[width][width];
    double[] right = new double[width];
    for (int row = 0; row < nanos.length; row++) {
      for (int i = 0; i < width; i++) {
        double weighted = weights[row] * design[row][i] / scale[i];
        right[i] += weighted * nanos[row];
        for (int j = 0; j < width; j++) {
          products[i][j] += weighted * design[row][j] / scale[j];
        }
      }
    }
    RealMatrix matrix = new Array2DRowRealMatrix(products, false);
    double[] solution =
        new QRDecomposition(matrix).getSolver().solve(new ArrayRealVector(right, false)).toArray();
    for (int i = 0; i < width; i++) {
      solution[i] /= scale[i];
    }
    return solution;
  }

  private static double[][] resample(double[][] design, double[] nanos) {
    int drawn = Math.min(nanos.length, MAX_RESAMPLED);
    // Fits to fewer calls than there are vary more.
    double narrow = Math.sqrt((double) drawn / nanos.length);
    RandomGenerator random = new Well19937c(SEED);
    double[] center = solve(design, nanos);
    double[][] results = new double[center.length][RESAMPLES];
    double[][] rows = new double[drawn][];
    double[] times = new double[drawn];
    for (int sample = 0; sample < RESAMPLES; sample++) {
      for (int i = 0; i < drawn; i++) {
        int row = random.nextInt(nanos.length);
        rows[i] = design[row];
        times[i] = nanos[row];
      }
      double[] solution;
      try {
        solution = solve(rows, times);
      } catch (org.apache.commons.math3.linear.SingularMatrixException _) {
        solution = center;
      }
      for (int i = 0; i < center.length; i++) {
        results[i][sample] = center[i] + narrow * (solution[i] - center[i]);
      }
    }
    return results;
  }
}
