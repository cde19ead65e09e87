package org.allocsim.analysis.tuning;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.allocsim.analysis.leak.RowSeries;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.jspecify.annotations.Nullable;

/** Notes when the driver's time rises, and tells how much of it each step of the program took. */
final class StepClock implements RunObserver {
  private final RowSeries driverNanos = new RowSeries();

  /** Null before the run and after it, so that its allocator need not be kept. */
  private @Nullable Run run;

  private int lastRow = Integer.MAX_VALUE;

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
    driverNanos.add(row, Objects.requireNonNull(run).driverNanos());
  }

  @Override
  public void end() {
    Run over = Objects.requireNonNull(run);
    lastRow = over.failures().count() == 0 ? Integer.MAX_VALUE : over.row();
    run = null;
  }

  /**
   * The time in every whole step that was replayed; of a run that is over.
   *
   * @param begins rows with which the steps begin, and the row with which the last has ended
   */
  List<Long> stepNanos(int[] begins) {
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
