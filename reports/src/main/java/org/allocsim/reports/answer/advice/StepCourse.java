package org.allocsim.reports.answer.advice;

import java.util.Optional;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.analysis.moment.Landmarks;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.chart.memory.BeforeAfterChart;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;

/**
 * Allocated memory in the step of a program in which it has its peak; over the whole run where the
 * program has no steps. It is thinned out to the highest value of each column of a chart.
 */
final class StepCourse implements RunObserver {
  /** Columns, so many that none is wider than a pixel. */
  private static final int COLUMNS = 1000;

  private final int firstRow;
  private final int endRow;
  private final boolean isStep;
  private final double[] allocatedBytes;

  @SuppressWarnings("NullAway.Init") // a run begins before its rows come
  private Run run;

  private long reservedBytes;

  private StepCourse(int firstRow, int endRow, boolean isStep) {
    this.firstRow = firstRow;
    this.endRow = Math.max(firstRow + 1, endRow);
    this.isStep = isStep;
    allocatedBytes = new double[Math.min(COLUMNS, this.endRow - this.firstRow)];
  }

  /**
   * Replays a program.
   *
   * @param label how the chart calls it
   * @return empty where only its end is known
   */
  static Optional<BeforeAfterChart.Course> of(ReplayedProgram program, String label) {
    return program.landmarks().map(each -> of(program, each).course(label));
  }

  private static StepCourse of(ReplayedProgram program, Landmarks landmarks) {
    StepCourse course =
        program
            .steps()
            .map(steps -> atPeak(steps, landmarks.peakAllocatedRow()))
            .orElseGet(() -> new StepCourse(0, landmarks.lastRow() + 1, false));
    Run.of(landmarks.setup(), course);
    return course;
  }

  private static StepCourse atPeak(Iterations steps, int peakRow) {
    int step = Math.clamp(steps.iterationOf(peakRow), 0, steps.count() - 1);
    return new StepCourse(steps.begin(step), steps.begin(step + 1), true);
  }

  private BeforeAfterChart.Course course(String label) {
    return new BeforeAfterChart.Course(label, isStep, allocatedBytes, reservedBytes);
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
    note(endRow - 1);
  }

  /** What is held after a row. */
  private void note(int row) {
    if (row < firstRow || row >= endRow) {
      return;
    }
    int column = (int) ((long) (row - firstRow) * allocatedBytes.length / (endRow - firstRow));
    allocatedBytes[column] = Math.max(allocatedBytes[column], run.stats().allocatedBytes());
    reservedBytes = Math.max(reservedBytes, run.stats().reservedBytes());
  }
}
