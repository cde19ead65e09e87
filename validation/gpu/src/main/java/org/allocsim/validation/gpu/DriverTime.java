package org.allocsim.validation.gpu;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.apache.commons.math3.random.RandomGenerator;
import org.apache.commons.math3.random.Well19937c;
import org.apache.commons.math3.stat.descriptive.rank.Percentile;

/**
 * Predicted and measured time in the driver. Predictions are for a host as fast as it was then.
 *
 * @param calls each kind of call that was made
 * @param hostSlowness how long calls took on this host then, over what the profile says
 * @param profileNanos all calls of the simulation on a host as fast as the profile says
 * @param predictedNanos the same on the host as it was
 * @param measuredNanos all calls on the GPU
 * @param lowRatio lower end of the 95 % interval of predicted over measured time, by resampling
 *     calls; not a number without calls
 * @param highRatio its upper end
 */
public record DriverTime(
    List<Kind> calls,
    HostSlowness hostSlowness,
    long profileNanos,
    long predictedNanos,
    long measuredNanos,
    double lowRatio,
    double highRatio) {
  private static final int RESAMPLES = 400;

  /** Calls beyond are drawn from, but no more are drawn. */
  private static final int MAX_DRAWN = 20_000;

  private static final long SEED = 20_251_101;

  /**
   * One kind of call.
   *
   * @param call the kind
   * @param predictedCalls how many the simulation made
   * @param measuredCalls how many the policy made on the GPU
   */
  public record Kind(
      DriverCall call,
      long predictedCalls,
      long measuredCalls,
      long predictedNanos,
      long measuredNanos) {}

  /** Keeps its own copy. */
  public DriverTime {
    calls = List.copyOf(calls);
  }

  /** Predicted over measured time; not a number where nothing was measured. */
  public double ratio() {
    return measuredNanos == 0 ? Double.NaN : (double) predictedNanos / measuredNanos;
  }

  /**
   * How much longer than the profile says the calls took on this host, over all kinds; not a number
   * where nothing was predicted.
   */
  public double slowness() {
    return profileNanos == 0 ? Double.NaN : (double) predictedNanos / profileNanos;
  }

  /** Whether the same number of calls of each kind was made. */
  public boolean hasSameCalls() {
    return calls.stream().allMatch(kind -> kind.predictedCalls() == kind.measuredCalls());
  }

  static DriverTime of(
      SimulatedDevice simulated,
      DriverMeasure real,
      HostSlowness hostSlowness,
      List<LoggedCall> predicted,
      List<LoggedCall> measured,
      int end) {
    List<Kind> kinds = new ArrayList<>();
    long predictedNanos = 0;
    for (DriverCall call : DriverCall.values()) {
      long nanos = Math.round(simulated.driverNanos(call) * hostSlowness.of(call));
      predictedNanos += nanos;
      if (simulated.driverCalls(call) > 0 || real.calls(call) > 0) {
        kinds.add(
            new Kind(call, simulated.driverCalls(call), real.calls(call), nanos, real.nanos(call)));
      }
    }
    double[] ratios = new double[RESAMPLES];
    RandomGenerator random = new Well19937c(SEED);
    int draws = Math.min(end, MAX_DRAWN);
    for (int sample = 0; sample < RESAMPLES && end > 0; sample++) {
      double predictedSum = 0;
      long measuredSum = 0;
      for (int draw = 0; draw < draws; draw++) {
        int call = random.nextInt(end);
        predictedSum += predicted.get(call).nanos() * hostSlowness.of(predicted.get(call).kind());
        measuredSum += measured.get(call).nanos();
      }
      ratios[sample] = predictedSum / Math.max(1, measuredSum);
    }
    boolean known = end > 0;
    return new DriverTime(
        kinds,
        hostSlowness,
        simulated.driverNanos(),
        predictedNanos,
        real.nanos(),
        known ? new Percentile().evaluate(ratios, 2.5) : Double.NaN,
        known ? new Percentile().evaluate(ratios, 97.5) : Double.NaN);
  }
}
