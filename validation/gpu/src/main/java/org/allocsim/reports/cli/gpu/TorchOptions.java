package org.allocsim.reports.cli.gpu;

import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.gpu.TorchRuns;
import picocli.CommandLine.Option;

/** Options that say what PyTorch runs, and how. */
final class TorchOptions {
  @Option(
      names = "--python",
      paramLabel = "PROGRAM",
      description = "Python interpreter with PyTorch (default: python3).")
  private String python = "python3";

  @Option(
      names = "--random",
      paramLabel = "N",
      description =
          "Also run N synthetic programs (random requests, training, inference), half of them under"
              + " their own limit.")
  private int random;

  @Option(
      names = "--sequences",
      paramLabel = "N",
      description =
          "Also send N random sequences of 10 000 calls directly to the allocator, under settings"
              + " of every kind, always on the mock CUDA driver.")
  private int sequences;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Number of the first synthetic program or sequence (default: 1).")
  private long seed = 1;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "Number of parallel processes on the GPU (default: 1).")
  private int jobs = 1;

  @Option(
      names = "--cases-per-process",
      paramLabel = "N",
      description =
          "Maximum number of cases per process, run in sequence with an emptied allocator in"
              + " between (default: 1).")
  private int casesPerProcess = 1;

  @Option(
      names = "--stop-after",
      paramLabel = "SECONDS",
      description = "Start no further case of a setting after this time (default: never).")
  private int stopAfterSeconds;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description =
          "Keep snapshots, their notes and synthetic traces in this folder; created if missing.")
  private String keep;

  @Option(
      names = "--keep-differing",
      description = "With --keep: only cases that differ from the simulation.")
  private boolean keepDiffering;

  /**
   * What to run.
   *
   * @throws Failure for numbers that make no sense
   */
  TorchRuns runs() {
    if (random < 0) {
      throw Failure.usage("--random " + random + " must be at least 0");
    }
    if (sequences < 0) {
      throw Failure.usage("--sequences " + sequences + " must be at least 0");
    }
    if (jobs < 1) {
      throw Failure.usage("--jobs " + jobs + " must be at least 1");
    }
    if (casesPerProcess < 1) {
      throw Failure.usage("--cases-per-process " + casesPerProcess + " must be at least 1");
    }
    if (stopAfterSeconds < 0) {
      throw Failure.usage("--stop-after " + stopAfterSeconds + " must be at least 0 seconds");
    }
    if (keepDiffering && keep == null) {
      throw Failure.usage("--keep-differing needs --keep; add --keep DIR");
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
