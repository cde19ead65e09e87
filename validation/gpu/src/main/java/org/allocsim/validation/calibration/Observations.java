package org.allocsim.validation.calibration;

import java.util.Arrays;

/**
 * Timed calls of one class: the terms that multiply its parameters after the first, and times. A
 * time is scaled to the host's speed once that is known ({@link ObservationSet}).
 */
public final class Observations {
  private final int terms;
  private double[] rows = new double[1024];
  private int count;

  Observations(CallClass of) {
    terms = of.parameters().size() - 1;
  }

  void add(double nanos, long... values) {
    int width = terms + 2;
    if ((count + 1) * width > rows.length) {
      rows = Arrays.copyOf(rows, rows.length * 2);
    }
    for (int term = 0; term < terms; term++) {
      rows[count * width + term] = values[term];
    }
    rows[count * width + terms] = nanos;
    rows[count * width + terms + 1] = nanos;
    count++;
  }

  void scale(int from, int to, double factor) {
    for (int row = from; row < to; row++) {
      rows[row * (terms + 2) + terms] = measuredNanos(row) * factor;
    }
  }

  /** Number of calls. */
  public int count() {
    return count;
  }

  /** Number of terms. */
  public int terms() {
    return terms;
  }

  /** One term of one call. */
  public double term(int row, int term) {
    return rows[row * (terms + 2) + term];
  }

  /** Time of one call, as on a host at its usual speed. */
  public double nanos(int row) {
    return rows[row * (terms + 2) + terms];
  }

  /** Time of one call as it was measured. */
  public double measuredNanos(int row) {
    return rows[row * (terms + 2) + terms + 1];
  }
}
