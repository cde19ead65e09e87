package org.allocsim.reports.cli.prove;

import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.validation.TorchRuns;
import picocli.CommandLine.Option;

/** Options that say what PyTorch runs, and how. */
final class TorchOptions {
  @Option(
      names = "--python",
      paramLabel = "PROGRAM",
      description = "A Python that has PyTorch (default: python3).")
  private String python = "python3";

  @Option(
      names = "--random",
      paramLabel = "N",
      description =
          "Also run N synthetic programs (random requests, training, inference),"
              + " half of them under a limit of their own.")
  private int random;

  @Option(
      names = "--sequences",
      paramLabel = "N",
      description =
          "Also send N random sequences of 10 000 calls to the allocator itself,"
              + " under settings of every kind, always on the mock CUDA driver.")
  private int sequences;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Number of the first synthetic program or sequence (default: 1).")
  private long seed = 1;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "Processes side by side on the GPU (default: 1).")
  private int jobs = 1;

  @Option(
      names = "--cases-per-process",
      paramLabel = "N",
      description =
          "Maximum number of cases that a process serves, one after the other, with"
              + " its allocator emptied in between (default: 1).")
  private int casesPerProcess = 1;

  @Option(
      names = "--stop-after",
      paramLabel = "SECONDS",
      description = "Begin no further case of a setting after this time (default: never).")
  private int stopAfterSeconds;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description =
          "Keep snapshots, what was noted beside them and synthetic traces in this"
              + " folder; it is made where missing.")
  private String keep;

  @Option(
      names = "--keep-differing",
      description = "With --keep: only of cases that differ from the simulation.")
  private boolean keepDiffering;

  /**
   * What to run.
   *
   * @throws Failure for numbers that make no sense
   */
  TorchRuns runs() {
    if (random < 0) {
      throw Failure.usage("--random " + random + " is negative; give the number of programs");
    }
    if (sequences < 0) {
      throw Failure.usage("--sequences " + sequences + " is negative; give their number");
    }
    if (jobs < 1) {
      throw Failure.usage("--jobs " + jobs + " runs nothing; give 1 or more");
    }
    if (casesPerProcess < 1) {
      throw Failure.usage("--cases-per-process " + casesPerProcess + " is none; give 1 or more");
    }
    if (stopAfterSeconds < 0) {
      throw Failure.usage("--stop-after " + stopAfterSeconds + " is negative; give seconds");
    }
    if (keepDiffering && keep == null) {
      throw Failure.usage("--keep-differing needs a folder; name one with --keep");
    }
    return new TorchRuns(
        python,
        random,
        sequences,
        seed,
        jobs,
        casesPerProcess,
        stopAfterSeconds,
        keep,
        keepDiffering);
  }
}
