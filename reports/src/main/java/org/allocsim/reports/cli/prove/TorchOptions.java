package org.allocsim.reports.cli.prove;

import org.allocsim.reports.answer.validation.TorchRuns;
import org.allocsim.reports.output.Failure;
import picocli.CommandLine.Option;

/** Options of {@code validate --pytorch}. */
public final class TorchOptions {
  @Option(
      names = "--pytorch",
      description =
          "Let PyTorch's own allocator serve the requests instead, in processes of its own, and"
              + " compare what it did event by event: with what was predicted from the requests"
              + " alone, and with a simulation that follows its snapshot. Takes --conf,"
              + " --memory-limit, --gpu, --device-index, --format, --max-seconds, --json, --report"
              + " and the options below. Without a GPU the allocator runs on a stand-in for CUDA"
              + " that computes nothing, which a C compiler builds. The exit code is 3 if anything"
              + " differs.")
  private boolean pytorch;

  @Option(
      names = "--python",
      paramLabel = "PROGRAM",
      description = "With --pytorch: a Python that has PyTorch (default: python3).")
  private String python;

  @Option(
      names = "--random",
      paramLabel = "N",
      description =
          "With --pytorch: also run N synthetic programs (random requests, training, inference),"
              + " half of them under a limit of their own.")
  private Integer random;

  @Option(
      names = "--sequences",
      paramLabel = "N",
      description =
          "With --pytorch: also send N random sequences of 10 000 calls to the allocator itself,"
              + " under settings of every kind, always on the stand-in for CUDA.")
  private Integer sequences;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Number of the first synthetic program or sequence (default: 1).")
  private Long seed;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "With --pytorch: processes side by side on the GPU (default: 1).")
  private Integer jobs;

  @Option(
      names = "--cases-per-process",
      paramLabel = "N",
      description =
          "With --pytorch: maximum number of cases that a process serves, one after the other, with"
              + " its allocator emptied in between (default: 1).")
  private Integer casesPerProcess;

  @Option(
      names = "--stop-after",
      paramLabel = "SECONDS",
      description =
          "With --pytorch: begin no further case of a setting after this time (default: never).")
  private Integer stopAfterSeconds;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description =
          "With --pytorch: keep snapshots, what was noted beside them and synthetic traces in this"
              + " folder; it is made where missing.")
  private String keep;

  @Option(
      names = "--keep-differing",
      description = "With --keep: only of cases that differ from the simulation.")
  private boolean keepDiffering;

  /** What to run. */
  public TorchRuns runs() {
    return new TorchRuns(
        python == null ? "python3" : python,
        random(),
        sequences(),
        seed == null ? 1 : seed,
        jobs(),
        casesPerProcess(),
        stopAfterSeconds(),
        keep,
        keepDiffering);
  }

  /** Whether PyTorch is to be driven. */
  public boolean pytorch() {
    return pytorch;
  }

  private int random() {
    return random == null ? 0 : random;
  }

  private int sequences() {
    return sequences == null ? 0 : sequences;
  }

  private int jobs() {
    return jobs == null ? 1 : jobs;
  }

  private int casesPerProcess() {
    return casesPerProcess == null ? 1 : casesPerProcess;
  }

  private int stopAfterSeconds() {
    return stopAfterSeconds == null ? 0 : stopAfterSeconds;
  }

  /**
   * Refuses numbers that make no sense, and options that need {@code --pytorch} without it.
   *
   * @throws Failure that names the option
   */
  public void check() {
    if (!pytorch) {
      String lost =
          python != null
              ? "--python"
              : random != null
                  ? "--random"
                  : sequences != null
                      ? "--sequences"
                      : seed != null
                          ? "--seed"
                          : jobs != null ? "--jobs" : keep != null ? "--keep" : null;
      if (lost != null) {
        throw Failure.usage(lost + " goes with --pytorch; add that or leave it out");
      }
    }
    if (random() < 0) {
      throw Failure.usage("--random " + random + " is negative; give the number of programs");
    }
    if (sequences() < 0) {
      throw Failure.usage("--sequences " + sequences + " is negative; give their number");
    }
    if (jobs() < 1) {
      throw Failure.usage("--jobs " + jobs + " runs nothing; give 1 or more");
    }
    if (casesPerProcess() < 1) {
      throw Failure.usage("--cases-per-process " + casesPerProcess + " is none; give 1 or more");
    }
    if (stopAfterSeconds() < 0) {
      throw Failure.usage("--stop-after " + stopAfterSeconds + " is negative; give seconds");
    }
    if (keepDiffering && keep == null) {
      throw Failure.usage("--keep-differing needs a folder; name one with --keep");
    }
  }
}
