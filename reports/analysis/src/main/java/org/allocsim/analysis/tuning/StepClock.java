package org.allocsim.analysis.tuning;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;

/** Measures the driver's time in each step of a program. */
final class StepClock implements RunObserver {
  private final int[] begins;
  private final List<Long> stepNanos = new ArrayList<>();

  @SuppressWarnings("NullAway.Init") // a run begins before its rows come
  private Run run;

  private int next;
  private long beganNanos;

  /**
   * For one run.
   *
   * @param begins rows with which the steps begin, and the row with which the last has ended
   */
  StepClock(int[] begins) {
    this.begins = begins;
  }

  @Override
  public void begin(Run begun) {
    run = begun;
  }

  @Override
  public boolean before(int row) {
    while (next < begins.length && begins[next] <= row) {
      long nowNanos = run.driverNanos();
      if (next > 0) {
        stepNanos.add(nowNanos - beganNanos);
      }
      beganNanos = nowNanos;
      next++;
    }
    return true;
  }

  @Override
  public int nextRow() {
    return next < begins.length ? begins[next] : Integer.MAX_VALUE;
  }

  @Override
  public void end() {
    if (run.failures().count() == 0) {
      before(run.setup().trace().eventCount());
    }
  }

  /** The time in every whole step that was replayed. */
  List<Long> stepNanos() {
    return stepNanos;
  }
}
