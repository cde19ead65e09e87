package org.allocsim.reports.cli.prove;

import static java.util.stream.Collectors.joining;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.allocsim.reports.answer.validation.BenchAnswer;
import org.allocsim.reports.answer.validation.BenchBaseline;
import org.allocsim.reports.answer.validation.BenchTurns;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.plugin.PluginLoader;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.typed.SimilarName;
import org.allocsim.validation.benchmark.BenchmarkEngine;
import org.allocsim.validation.benchmark.BenchmarkException;
import org.allocsim.validation.benchmark.BenchmarkPlan;
import org.allocsim.validation.benchmark.BenchmarkPlan.Effort;
import org.allocsim.validation.benchmark.BenchmarkPlan.Subject;
import org.allocsim.validation.benchmark.BenchmarkResults;
import org.allocsim.validation.benchmark.Machine;
import org.allocsim.validation.benchmark.PolicyCase;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.format.pytorch.derive.SnapshotFormat;
import org.allocsim.workloads.io.EarlyEnd;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code allocsim bench}: how fast is allocsim on this machine? */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures how fast allocsim is on this machine.",
      "Replays PyTorch's allocator with all statistics over two programs, native and with",
      "expandable segments, from a cache that has what they need; reads a snapshot, plain and",
      "compressed; simulates in time. Each benchmark runs in processes of its own (JMH)."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed: unreadable input, unwritable output, another machine's baseline",
      "2:wrong usage",
      "3:something is slower than the baseline by more than the tolerance"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim bench",
      "  allocsim bench --policies all --trace snapshot.pickle",
      "  allocsim bench --json before.json",
      "  allocsim bench --baseline before.json --tolerance 5%%"
    })
public final class BenchCommand implements Callable<Integer> {
  private static final int MAX_RUNS = 100;

  private static final String CLASS_PATH = "java.class.path";

  @Spec private CommandSpec spec;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description =
          "Trace to replay instead of the programs; a PyTorch snapshot is also what is read. May be"
              + " given more than once.")
  private List<String> traceNames = List.of();

  @Option(
      names = {"--policies", "--policy"},
      paramLabel = "all|ID,...",
      description =
          "Replay with these allocators instead; options stand in parentheses. Planners make a new"
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
      description = "Processes for each benchmark (default: 2).")
  private Integer runs;

  @Option(names = "--quick", description = "Hardly measure: shows that it works, not how fast.")
  private boolean quick;

  @Option(
      names = "--in-turns",
      description =
          "Measure one policy on one trace in turns with another program: a sample for each line of"
              + " standard input.")
  private boolean inTurns;

  @Mixin private OutputOptions outputOptions;

  @Option(
      names = "--baseline",
      paramLabel = "FILE",
      description = "Compare with results of this machine that --json wrote.")
  private String baselineName;

  @Option(
      names = "--tolerance",
      paramLabel = "PERCENT",
      defaultValue = "10%",
      description =
          "How much slower than the baseline is still the same, such as 5%% (default: 10%%)."
              + " Within the spread of the samples nothing counts as slower.")
  private String tolerance;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    double tolerated = tolerated();
    BenchmarkPlan plan = plan();
    if (inTurns) {
      requireTurns(plan);
      BenchTurns.run(engine(), plan, System.in, out);
      return ExitCodes.DONE;
    }
    BenchBaseline baseline = baselineName == null ? null : BenchBaseline.read(baselineName);
    BenchmarkEngine engine = engine();
    Machine machine = Machine.here();
    if (baseline != null) {
      baseline.requireLike(machine);
    }
    Path kept = baselineName == null ? null : Path.of(baselineName);
    EarlyEnd.begin();
    try (DocumentOutputs outputs = outputOptions.open(kept)) {
      BenchmarkResults results = measure(engine, plan);
      BenchAnswer answer =
          new BenchAnswer(
              machine,
              plan.effort().runs(),
              results.measurements(),
              results.notRun(),
              baseline,
              tolerated);
      outputs.write(answer.document());
      return answer.isSlower() ? ExitCodes.CHECK_DID_NOT_HOLD : ExitCodes.DONE;
    }
  }

  private void requireTurns(BenchmarkPlan plan) {
    if (outputOptions.isGiven() || baselineName != null || runs != null) {
      throw Failure.usage(
          "--in-turns prints samples as they come; leave out --baseline, --runs and all outputs");
    }
    if (!plan.subjects().equals(Set.of(Subject.POLICIES))
        || plan.policies().size() != 1
        || plan.programs().size() != 1) {
      throw Failure.usage(
          "--in-turns measures one policy on one trace; give one with --policies, one with"
              + " --trace");
    }
  }

  private static BenchmarkEngine engine() {
    return BenchmarkEngine.installed()
        .orElseThrow(() ->
            new Failure(
                "bench is an optional part that this installation lacks; './allocsim bench' of"
                    + " the sources has it, and './allocsim bundle ARCHIVE.tgz --with bench'"
                    + " packs it"));
  }

  private static BenchmarkResults measure(BenchmarkEngine engine, BenchmarkPlan plan) {
    String classPath = System.getProperty(CLASS_PATH);
    // The processes that measure start with the class path of this one, so plugins have to be in
    // it.
    PluginLoader.current()
        .ifPresent(plugins ->
            System.setProperty(
                CLASS_PATH,
                plugins.jars().stream()
                    .map(jar -> jar.toAbsolutePath().toString())
                    .collect(joining(File.pathSeparator, classPath + File.pathSeparator, ""))));
    try (ProgressMeter progress = ProgressMeter.of("measuring", "benchmarks")) {
      return engine.run(plan, progress::update);
    } catch (BenchmarkException e) {
      throw new Failure(e.getMessage() + "; 'allocsim bench --help' shows what can be left out", e);
    } finally {
      System.setProperty(CLASS_PATH, classPath);
    }
  }

  private BenchmarkPlan plan() {
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
                + " is no part; "
                + SimilarName.remedy(
                    part,
                    List.of("replay", "read", "time", "policies", "blocks", "commands"),
                    "there are replay, read, time, policies, blocks and commands"));
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
      throw Failure.usage("--runs " + runs + " is outside 1.." + MAX_RUNS + "; write one of these");
    }
    Effort full = inTurns ? Effort.IN_TURNS : Effort.USUAL;
    Effort effort = quick ? Effort.LEAST : full;
    return runs == null
        ? effort
        : new Effort(runs, effort.warmUps(), effort.samples(), effort.sampleMillis());
  }

  private double tolerated() {
    String number = tolerance.endsWith("%") ? tolerance.substring(0, tolerance.length() - 1) : "";
    try {
      double percent = Double.parseDouble(number);
      if (percent >= 0 && percent < Double.POSITIVE_INFINITY) {
        return percent / 100;
      }
    } catch (NumberFormatException _) {
      // Said below.
    }
    throw Failure.usage("--tolerance " + tolerance + " is no share; write one such as 5%");
  }
}
