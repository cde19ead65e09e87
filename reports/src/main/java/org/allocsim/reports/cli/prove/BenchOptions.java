package org.allocsim.reports.cli.prove;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.typed.SimilarName;
import org.allocsim.validation.benchmark.BenchmarkPlan;
import org.allocsim.validation.benchmark.BenchmarkPlan.Effort;
import org.allocsim.validation.benchmark.BenchmarkPlan.Subject;
import org.allocsim.validation.benchmark.PolicyCase;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.format.pytorch.derive.SnapshotFormat;
import picocli.CommandLine.Option;

/** The options that say what {@code bench} measures, and how long. */
final class BenchOptions {
  private static final int MAX_RUNS = 100;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description =
          "Trace to replay instead of the programs; a PyTorch snapshot is also used to measure"
              + " reading. May be repeated.")
  private List<String> traceNames = List.of();

  @Option(
      names = {"--policies", "--policy"},
      paramLabel = "all|ID,...",
      description =
          "Replay with these allocators instead, with options in parentheses. Planners make a new"
              + " plan in each pass.")
  private String policies;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "PART",
      description =
          "Measure only these parts: replay, read, time, policies, blocks (10^2 to 10^6 live and"
              + " free blocks; takes minutes), commands (whole commands on a recording of two"
              + " million events; takes minutes).")
  private List<String> parts = List.of();

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "Number of processes per benchmark (default: 2).")
  private Integer runs;

  @Option(
      names = "--quick",
      description = "Measure very briefly: shows that it works, not how fast it is.")
  private boolean quick;

  @Option(
      names = "--in-turns",
      description =
          "Measure one policy on one trace, alternating with another program: one sample per line"
              + " of standard input.")
  private boolean inTurns;

  /** Whether samples are printed as they come. */
  boolean isInTurns() {
    return inTurns;
  }

  /** Whether the number of processes was chosen. */
  boolean hasRuns() {
    return runs != null;
  }

  /**
   * What to measure, and how long.
   *
   * @throws Failure for parts, policies or numbers that make no sense
   */
  BenchmarkPlan plan() {
    BenchmarkPlan usual = BenchmarkPlan.usual();
    List<String> snapshots = new ArrayList<>();
    for (String name : traceNames) {
      if (isSnapshot(name)) {
        snapshots.add(name);
      }
    }
    return new BenchmarkPlan(
        subjects(!traceNames.isEmpty() && snapshots.isEmpty()),
        traceNames.isEmpty() ? usual.programs() : traceNames,
        traceNames.isEmpty() ? usual.snapshots() : snapshots,
        cases(parts.isEmpty() || policies != null ? policies : "all"),
        effort());
  }

  /** Only reading pickles is measured as reading. */
  private static boolean isSnapshot(String name) {
    try {
      return TraceFormats.of(Inputs.require(name)).id().equals(SnapshotFormat.ID);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  private Set<Subject> subjects(boolean noSnapshot) {
    Set<Subject> subjects = EnumSet.noneOf(Subject.class);
    for (String part : parts) {
      try {
        subjects.add(Subject.valueOf(part.strip().toUpperCase(Locale.ROOT)));
      } catch (IllegalArgumentException _) {
        throw Failure.usage(
            "--only "
                + part
                + " is not a part; "
                + SimilarName.remedy(
                    part,
                    List.of("replay", "read", "time", "policies", "blocks", "commands"),
                    "choose from replay, read, time, policies, blocks and commands"));
      }
    }
    if (!parts.isEmpty()) {
      if (noSnapshot && subjects.contains(Subject.READ)) {
        throw Failure.usage("--only read: none of the traces is a PyTorch snapshot; name one");
      }
      return subjects;
    }
    if (policies != null) {
      return EnumSet.of(Subject.POLICIES);
    }
    subjects.addAll(BenchmarkPlan.usual().subjects());
    if (noSnapshot) {
      subjects.remove(Subject.READ);
    }
    return subjects;
  }

  private static List<PolicyCase> cases(String policies) {
    if (policies == null) {
      return List.of();
    }
    try {
      return PolicyChoice.parseList(policies).stream()
          .map(choice -> new PolicyCase(choice.provider().spec().id(), choice.options()))
          .toList();
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--policies: " + e.getMessage());
    }
  }

  private Effort effort() {
    if (runs != null && (runs < 1 || runs > MAX_RUNS)) {
      throw Failure.usage(
          "--runs " + runs + " is outside 1.." + MAX_RUNS + "; choose a value in that range");
    }
    Effort full = inTurns ? Effort.IN_TURNS : Effort.USUAL;
    Effort effort = quick ? Effort.LEAST : full;
    return runs == null
        ? effort
        : new Effort(runs, effort.warmUps(), effort.samples(), effort.sampleMillis());
  }
}
