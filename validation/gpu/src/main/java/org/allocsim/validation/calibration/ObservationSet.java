package org.allocsim.validation.calibration;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.commons.math3.stat.descriptive.rank.Percentile;

/**
 * All timed calls by class, and how often the simulated device answered otherwise.
 *
 * <p>The driver's calls take the time of the host's processor, whose clock and load change within
 * seconds: on one host with H200 all calls, waits for the idle device among them, took 1.3 to 2
 * times as long for a while. So each phase of some hundred calls ends with such waits, and its
 * times are scaled by theirs, to the speed that the host had or exceeded in a quarter of all
 * phases.
 */
public final class ObservationSet {
  private static final double USUAL_PERCENTILE = 25;

  private final Map<CallClass, Observations> byClass = new EnumMap<>(CallClass.class);
  private final Map<CallClass, List<Integer>> phaseEnds = new EnumMap<>(CallClass.class);
  private final List<Double> waits = new ArrayList<>();
  private long answers;
  private long otherAnswers;

  /** The calls of one class. */
  public Observations of(CallClass wanted) {
    return byClass.computeIfAbsent(wanted, Observations::new);
  }

  /**
   * Ends a phase.
   *
   * @param waitNanos usual time of a wait for the idle device during it
   */
  void endPhase(double waitNanos) {
    waits.add(waitNanos);
    for (CallClass each : CallClass.values()) {
      phaseEnds.computeIfAbsent(each, _ -> new ArrayList<>()).add(of(each).count());
    }
  }

  /** Scales all times to the host's usual speed. */
  void scale() {
    double usual = usualWaitNanos();
    for (int phase = 0; phase < waits.size(); phase++) {
      double factor = waits.get(phase) > 0 ? usual / waits.get(phase) : 1;
      for (CallClass each : CallClass.values()) {
        List<Integer> ends = Objects.requireNonNull(phaseEnds.get(each));
        of(each).scale(phase == 0 ? 0 : ends.get(phase - 1), ends.get(phase), factor);
      }
    }
  }

  /** Time of a wait for the idle device at the speed that times are scaled to. */
  double usualWaitNanos() {
    return new Percentile().evaluate(waitNanos(), USUAL_PERCENTILE);
  }

  private double[] waitNanos() {
    return waits.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /** Percentile over the phases of how much longer than usual the host took for a wait. */
  public double slowness(double percent) {
    return new Percentile().evaluate(waitNanos(), percent) / usualWaitNanos();
  }

  void compare(long simulated, long real) {
    answers++;
    otherAnswers += simulated == real ? 0 : 1;
  }

  /** Answers (free bytes, bytes of the pool) that were compared with the simulated device's. */
  public long answers() {
    return answers;
  }

  /** Those that differed. */
  public long otherAnswers() {
    return otherAnswers;
  }
}
