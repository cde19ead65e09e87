package org.allocsim.reports.question.advice;

import java.util.Optional;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.analysis.moment.Landmarks;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.chart.memory.BeforeAfterChart;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;

/**
 * Allocated memory in the step of a program in which it has its peak; over the whole run where the
 * program has no steps. The step goes from one low of memory to the next, so that those of two
 * programs begin alike wherever their recordings have the boundaries.
 */
final class StepCourse implements RunObserver {
  /** Columns, so many that none is wider than a pixel. */
  private static final int COLUMNS = 1000;

  private final int firstRow;

  /** Allocated and reserved bytes after each row. */
  private final long[] allocatedBytes;

  private final long[] reservedBytes;

  @SuppressWarnings("NullAway.Init") // a run begins before its rows come
  private Run run;

  private StepCourse(int firstRow, int endRow) {
    this.firstRow = firstRow;
    allocatedBytes = new long[Math.max(1, endRow - firstRow)];
    reservedBytes = new long[allocatedBytes.length];
  }

  /**
   * Replays a program.
   *
   * @param label how the chart calls it
   * @return empty where only its end is known
   */
  static Optional<BeforeAfterChart.Course> of(ReplayedProgram program, String label) {
    return program
        .landmarks()
        .map(landmarks ->
            program
                .steps()
                .map(steps -> ofStep(steps, landmarks, label))
                .orElseGet(() -> ofRun(landmarks, label)));
  }

  private static BeforeAfterChart.Course ofRun(Landmarks landmarks, String label) {
    StepCourse course = new StepCourse(0, landmarks.lastRow() + 1);
    Run.of(landmarks.setup(), course);
    return course.between(0, landmarks.lastRow() + 1, label, false);
  }

  private static BeforeAfterChart.Course ofStep(
      Iterations steps, Landmarks landmarks, String label) {
    int peakRow = landmarks.peakAllocatedRow();
    int step = Math.clamp(steps.iterationOf(peakRow), 0, steps.count() - 1);
    int first = Math.max(0, step - 1);
    int last = Math.min(steps.count() - 1, step + 1);
    StepCourse course = new StepCourse(steps.begin(first), steps.begin(last + 1));
    Run.of(landmarks.setup(), course);
    int[] lows = new int[last - first + 1];
    for (int each = first; each <= last; each++) {
      lows[each - first] = course.lowest(steps.begin(each), steps.begin(each + 1));
    }
    for (int i = 1; i < lows.length; i++) {
      if (lows[i - 1] <= peakRow && peakRow < lows[i]) {
        return course.between(lows[i - 1], lows[i], label, true);
      }
    }
    return course.between(steps.begin(step), steps.begin(step + 1), label, true);
  }

  /** The first row of some after which the least is allocated. */
  private int lowest(int fromRow, int toRow) {
    int lowest = fromRow;
    for (int row = fromRow; row < toRow; row++) {
      if (allocatedBytes[row - firstRow] < allocatedBytes[lowest - firstRow]) {
        lowest = row;
      }
    }
    return lowest;
  }

  /** Some rows, thinned out to the highest value of each column of a chart. */
  private BeforeAfterChart.Course between(int fromRow, int toRow, String label, boolean isStep) {
    int rows = Math.max(1, toRow - fromRow);
    double[] columns = new double[Math.min(COLUMNS, rows)];
    long maxBytes = 0;
    for (int i = 0; i < rows; i++) {
      int column = (int) ((long) i * columns.length / rows);
      int at = fromRow - firstRow + i;
      columns[column] = Math.max(columns[column], allocatedBytes[at]);
      maxBytes = Math.max(maxBytes, reservedBytes[at]);
    }
    return new BeforeAfterChart.Course(label, isStep, columns, maxBytes);
  }

  @Override
  public void begin(Run begun) {
    run = begun;
  }

  @Override
  public boolean before(int row) {
    note(row - 1);
    return true;
  }

  @Override
  public void end() {
    note(firstRow + allocatedBytes.length - 1);
  }

  /** What is held after a row. */
  private void note(int row) {
    int at = row - firstRow;
    if (at >= 0 && at < allocatedBytes.length) {
      allocatedBytes[at] = run.stats().allocatedBytes();
      reservedBytes[at] = run.stats().reservedBytes();
    }
  }
}
