package org.allocsim.analysis.suite;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.task.ParallelTasks;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;

/**
 * Allocators on the programs of scenarios as they are before any change, each with the options it
 * was given.
 *
 * @param topics what the columns are about
 * @param rows allocators, the best first
 */
public record PolicyScores(List<Topic> topics, List<Row> rows) {
  /**
   * One allocator.
   *
   * @param choice the allocator and its options
   * @param results what it came to on each program
   */
  public record Row(PolicyChoice choice, List<RunResult> results) {
    /** Keeps its own copy. */
    public Row {
      results = List.copyOf(results);
    }

    /** Programs that it served without a failed request. */
    public long served() {
      return results.stream().filter(RunResult::passes).count();
    }

    /**
     * Mean over the programs of what the program asked for at its peak over what was reserved at
     * the peak; a program that was not served counts 0.
     */
    public double score() {
      return results.stream().mapToDouble(Row::share).average().orElse(0);
    }

    /** The share of one program, 0 where it was not served. */
    static double share(RunResult result) {
      return result.passes() && result.peakReservedBytes() > 0
          ? Math.min(1, (double) result.peakRequestedBytes() / result.peakReservedBytes())
          : 0;
    }
  }

  /** Keeps its own copies. */
  public PolicyScores {
    topics = List.copyOf(topics);
    rows = List.copyOf(rows);
  }

  /** Runs allocators on the first variants of scenarios, on all cores. */
  public static PolicyScores of(
      List<SuiteScenario> scenarios, List<PolicyChoice> choices, Suite.Progress progress) {
    List<Callable<RunResult>> tasks = new ArrayList<>();
    for (SuiteScenario scenario : scenarios) {
      Variant before = scenario.variants().getFirst();
      choices.forEach(choice -> tasks.add(() -> Run.of(before.setup().with(choice))));
    }
    List<RunResult> results = ParallelTasks.run(tasks, progress::done);
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < choices.size(); i++) {
      List<RunResult> own = new ArrayList<>();
      for (int j = 0; j < scenarios.size(); j++) {
        own.add(results.get(j * choices.size() + i));
      }
      rows.add(new Row(choices.get(i), own));
    }
    rows.sort(Comparator.comparingLong(Row::served).thenComparingDouble(Row::score).reversed());
    return new PolicyScores(scenarios.stream().map(SuiteScenario::topic).toList(), rows);
  }

  /** Share of a program's peak in what was reserved; 0 where it was not served. */
  public static double share(RunResult result) {
    return Row.share(result);
  }
}
