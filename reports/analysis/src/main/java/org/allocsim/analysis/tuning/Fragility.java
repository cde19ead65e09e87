package org.allocsim.analysis.tuning;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.allocsim.analysis.task.ParallelTasks;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.transform.Perturbation;
import org.apache.commons.math3.distribution.BetaDistribution;

/**
 * How a program fares if its requests were a little different: one replay of each of many randomly
 * changed copies. The runs have the seeds {@code firstSeed}, {@code firstSeed + 1} and so on, so
 * that each can be had again alone.
 *
 * @param scenario the conditions
 * @param plain the program as it is
 * @param runs the changed copies, by seed
 */
public record Fragility(Scenario scenario, RunResult plain, List<Copy> runs) {
  /** Confidence of the interval of the share that fails. */
  public static final double CONFIDENCE = 0.95;

  /** Bytes of memory for each row of a copy while it is built and replayed. */
  private static final long COPY_BYTES_PER_ROW = 2L * AllocationTrace.ROW_BYTES;

  /**
   * A changed copy.
   *
   * @param seed what it was changed by
   * @param result what it came to; the replay ends at the first request that fails
   */
  public record Copy(long seed, RunResult result) {}

  /**
   * Where a share lies with {@link #CONFIDENCE}.
   *
   * @param lower lower end
   * @param upper upper end
   */
  public record Share(double lower, double upper) {}

  /** Keeps its own copy; there is at least one run. */
  public Fragility {
    runs = List.copyOf(runs);
    if (runs.isEmpty()) {
      throw new IllegalArgumentException("no run was made");
    }
  }

  /**
   * Replays changed copies of a trace on all cores. All share the trace; as many copies exist at a
   * time as fit into half of the memory that Java has. Where work is to end early, the copies that
   * were begun until then are all.
   *
   * @param plain the program as it is
   * @param count number of copies, at least 1
   */
  static Fragility run(
      AllocationTrace trace,
      int device,
      Scenario scenario,
      RunResult plain,
      Perturbation perturbation,
      long firstSeed,
      int count,
      Tuning.Progress progress) {
    List<Callable<Optional<Copy>>> tasks = new ArrayList<>();
    for (int run = 0; run < count; run++) {
      long seed = firstSeed + run;
      // One copy is always made, so that there is an answer.
      boolean isFirst = run == 0;
      tasks.add(() ->
          !isFirst && EarlyEnd.isAsked()
              ? Optional.empty()
              : Optional.of(
                  new Copy(
                      seed,
                      Run.of(
                          scenario.setup(
                              perturbation.apply(trace, device, seed), device, AfterOom.STOP)))));
    }
    return new Fragility(
        scenario,
        plain,
        ParallelTasks.run(tasks, maxCopies(trace), progress::done).stream()
            .flatMap(Optional::stream)
            .toList());
  }

  /** As above; the program as it is runs first. */
  public static Fragility run(
      AllocationTrace trace,
      int device,
      Scenario scenario,
      Perturbation perturbation,
      long firstSeed,
      int count,
      Tuning.Progress progress) {
    RunResult plain = Run.of(scenario.setup(trace, device, AfterOom.STOP));
    return run(trace, device, scenario, plain, perturbation, firstSeed, count, progress);
  }

  private static int maxCopies(AllocationTrace trace) {
    long copyBytes = Math.max(1, trace.eventCount() * COPY_BYTES_PER_ROW);
    return Math.clamp(Runtime.getRuntime().maxMemory() / 2 / copyBytes, 1, Integer.MAX_VALUE);
  }

  /** Number of copies in which a request fails. */
  public int failures() {
    return (int) runs.stream().filter(run -> !run.result().passes()).count();
  }

  /** Where the share of failing copies lies, of all that could be made (Clopper, Pearson 1934). */
  public Share failureShare() {
    int count = runs.size();
    int failed = failures();
    double tail = (1 - CONFIDENCE) / 2;
    double lower =
        failed == 0
            ? 0
            : new BetaDistribution(failed, count - failed + 1.0).inverseCumulativeProbability(tail);
    double upper =
        failed == count
            ? 1
            : new BetaDistribution(failed + 1.0, count - failed)
                .inverseCumulativeProbability(1 - tail);
    return new Share(lower, upper);
  }

  /**
   * A quantile of the peaks of reserved memory: the least peak that at least this share of the
   * copies does not exceed. A copy counts with its peak until its first failure.
   */
  public long peakReservedBytes(double share) {
    long[] peaks =
        runs.stream().mapToLong(run -> run.result().peakReservedBytes()).sorted().toArray();
    int rank = (int) Math.ceil(share * peaks.length);
    return peaks[Math.clamp(rank - 1, 0, peaks.length - 1)];
  }

  /**
   * The copy that fares worst: of those in which a request fails the one that fails first, else the
   * one with the highest peak; the lower seed of two.
   */
  public Copy worst() {
    return runs.stream()
        .min(
            Comparator.comparing((Copy run) -> run.result().passes())
                .thenComparingLong(
                    run -> run.result().firstFailure().map(FailedRequest::requestIndex).orElse(0L))
                .thenComparing(
                    Comparator.comparingLong((Copy run) -> run.result().peakReservedBytes())
                        .reversed())
                .thenComparingLong(Copy::seed))
        .orElseThrow();
  }
}
