package org.allocsim.analysis.tuning;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.leak.RowSeries;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;

/** Notes when the driver's time rises, and tells how much of it each step of the program took. */
final class StepClock implements RunObserver {
  private final RowSeries driverNanos = new RowSeries();

  @SuppressWarnings("NullAway.Init") // a run begins before its rows come
  private Run run;

  @Override
  public void begin(Run begun) {
    run = begun;
  }

  @Override
  public int nextRow() {
    return Integer.MAX_VALUE;
  }

  @Override
  public void deviceCalled(int row) {
    driverNanos.add(row, run.driverNanos());
  }

  /**
   * The time in every whole step that was replayed; of a run that is over.
   *
   * @param begins rows with which the steps begin, and the row with which the last has ended
   */
  List<Long> stepNanos(int[] begins) {
    int lastRow = run.failures().count() == 0 ? Integer.MAX_VALUE : run.row();
    List<Long> stepNanos = new ArrayList<>();
    long beganNanos = 0;
    for (int step = 0; step < begins.length && begins[step] <= lastRow; step++) {
      long nowNanos = driverNanos.before(begins[step]);
      if (step > 0) {
        stepNanos.add(nowNanos - beganNanos);
      }
      beganNanos = nowNanos;
    }
    return stepNanos;
  }
}
