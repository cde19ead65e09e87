package org.allocsim.reports.spark;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.fleet.sweep.FleetFile;
import org.allocsim.analysis.fleet.sweep.HeapTooSmallException;
import org.allocsim.analysis.fleet.sweep.SweepGrid;
import org.allocsim.analysis.fleet.sweep.SweepJob;
import org.allocsim.analysis.fleet.sweep.TraceSweep;
import org.apache.spark.util.LongAccumulator;

/** The traces of one task: a large one alone, small ones together. */
record TaskFiles(List<FleetFile> files) implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Tasks that a core gets if all traces are of one size. */
  private static final int TASKS_PER_CORE = 16;

  /** What a trace costs beside its bytes, as so many bytes. */
  private static final long FILE_COST_BYTES = 64 << 10;

  /** Maximum number of traces of a task, so that a lost one costs little. */
  private static final int MAX_FILES = 64;

  /** Keeps its own copy, of a kind that every process can read. */
  TaskFiles {
    files = new ArrayList<>(files);
  }

  /**
   * Spreads traces over tasks. The largest come first, because Spark starts tasks in their order: a
   * large one that began last would be waited for.
   */
  static List<TaskFiles> balance(List<FleetFile> files, int cores) {
    long cost = 0;
    for (FleetFile file : files) {
      cost += cost(file);
    }
    long share = cost / Math.max(1, (long) cores * TASKS_PER_CORE);
    List<TaskFiles> tasks = new ArrayList<>();
    List<FleetFile> group = new ArrayList<>();
    long groupCost = 0;
    for (FleetFile file : files.stream().sorted(FleetFile.LARGEST_FIRST).toList()) {
      if (!group.isEmpty() && (groupCost + cost(file) > share || group.size() == MAX_FILES)) {
        tasks.add(new TaskFiles(group));
        group.clear();
        groupCost = 0;
      }
      group.add(file);
      groupCost += cost(file);
    }
    if (!group.isEmpty()) {
      tasks.add(new TaskFiles(group));
    }
    return tasks;
  }

  private static long cost(FleetFile file) {
    return file.bytes() + FILE_COST_BYTES;
  }

  /**
   * Makes the runs of these traces.
   *
   * @return runs that need not be made, because an earlier sweep did
   */
  long run(SweepJob job, LongAccumulator finishedFiles, LongAccumulator finishedRuns)
      throws IOException {
    SweepGrid grid = SweepGrid.of(job.request());
    long reused = 0;
    for (FleetFile file : files) {
      TraceSweep sweep;
      try {
        sweep = TraceSweep.open(job, grid, file);
      } catch (HeapTooSmallException _) {
        sweep = TraceSweep.tooLarge(job, grid, file);
      }
      for (int number : sweep.pending()) {
        try {
          sweep.run(number);
        } catch (HeapTooSmallException _) {
          sweep.leaveOut(number);
        }
        finishedRuns.add(1);
      }
      reused += sweep.reused();
      finishedRuns.add(sweep.reused());
      finishedFiles.add(1);
    }
    return reused;
  }
}
