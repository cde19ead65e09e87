package org.allocsim.analysis.tuning;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;

/** Notes when the driver's time rises, and tells how much of it each step of the program took. */
final class StepClock implements RunObserver {
  /** Rows that called the driver, in order. */
  private int[] rows = new int[64];

  /** The driver's time after each. */
  private long[] nanos = new long[64];

  private int count;

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
    if (count == rows.length) {
      rows = Arrays.copyOf(rows, 2 * count);
      nanos = Arrays.copyOf(nanos, 2 * count);
    }
    rows[count] = row;
    nanos[count] = run.driverNanos();
    count++;
  }

  /**
   * The time in every whole step that was replayed; of a run that is over.
   *
   * @param begins rows with which the steps begin, and the row with which the last has ended
   */
  List<Long> stepNanos(int[] begins) {
    int lastRow = run.failures().count() == 0 ? Integer.MAX_VALUE : run.row();
    List<Long> stepNanos = new ArrayList<>();
    int at = 0;
    long beganNanos = 0;
    for (int step = 0; step < begins.length && begins[step] <= lastRow; step++) {
      while (at < count && rows[at] < begins[step]) {
        at++;
      }
      long nowNanos = at == 0 ? 0 : nanos[at - 1];
      if (step > 0) {
        stepNanos.add(nowNanos - beganNanos);
      }
      beganNanos = nowNanos;
    }
    return stepNanos;
  }
}
