package org.allocsim.analysis.fleet;

import java.util.Arrays;

/** How a choice compares with the baseline. */
public final class ChoiceTally {
  private long runs;
  private long ooms;
  private long saved;
  private long broken;
  private double driverNanos;
  private double baselineDriverNanos;
  private float[] savings = new float[8];
  private int savingCount;

  void add(FleetRun run, FleetRun baseline) {
    runs++;
    ooms += run.oom() ? 1 : 0;
    saved += baseline.oom() && !run.oom() ? 1 : 0;
    broken += !baseline.oom() && run.oom() ? 1 : 0;
    if (!run.oom() && !baseline.oom()) {
      driverNanos += run.driverNanos();
      baselineDriverNanos += baseline.driverNanos();
      if (savingCount == savings.length) {
        savings = Arrays.copyOf(savings, 2 * savingCount);
      }
      savings[savingCount++] = (float) run.saving(baseline);
    }
  }

  /** Runs beside a baseline. */
  public long runs() {
    return runs;
  }

  /** Those in which a request fails. */
  public long ooms() {
    return ooms;
  }

  /** Failures that it saves. */
  public long saved() {
    return saved;
  }

  /** Traces that fail only under it. */
  public long broken() {
    return broken;
  }

  /** Driver time over that of the baseline, where neither fails; not a number without any. */
  public double driverRatio() {
    return baselineDriverNanos == 0 ? Double.NaN : driverNanos / baselineDriverNanos;
  }

  /**
   * The saving of reserved memory, as a share of the baseline's peak, that so many of the runs in
   * which neither fails stay below; not a number where there are none.
   *
   * @param share from 0 to 1
   */
  public double savingQuantile(double share) {
    if (savingCount == 0) {
      return Double.NaN;
    }
    float[] sorted = Arrays.copyOf(savings, savingCount);
    Arrays.sort(sorted);
    return sorted[(int) Math.round(share * (savingCount - 1))];
  }

  /** The mean of what the runs in which neither fails save; 0 where there are none. */
  double meanSaving() {
    double sum = 0;
    for (int i = 0; i < savingCount; i++) {
      sum += savings[i];
    }
    return savingCount == 0 ? 0 : sum / savingCount;
  }
}
