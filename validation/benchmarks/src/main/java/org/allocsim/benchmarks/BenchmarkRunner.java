package org.allocsim.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.allocsim.benchmarks.command.CommandBenchmark;
import org.allocsim.benchmarks.suite.BlocksBenchmark;
import org.allocsim.benchmarks.suite.DeviceBenchmark;
import org.allocsim.benchmarks.suite.ReplayBenchmark;
import org.allocsim.benchmarks.suite.SnapshotBenchmark;
import org.allocsim.benchmarks.suite.TimeBenchmark;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.validation.benchmark.BenchmarkEngine;
import org.allocsim.validation.benchmark.BenchmarkException;
import org.allocsim.validation.benchmark.BenchmarkPlan;
import org.allocsim.validation.benchmark.BenchmarkPlan.Effort;
import org.allocsim.validation.benchmark.BenchmarkResults;
import org.allocsim.validation.benchmark.Measurement;
import org.allocsim.validation.benchmark.PolicyCase;
import org.allocsim.validation.benchmark.Samples;
import org.allocsim.workloads.io.Compression;
import org.allocsim.workloads.io.EarlyEnd;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs benchmarks with JMH, each in processes of its own where this Java run-time has a program to
 * start them with.
 */
final class BenchmarkRunner {
  /** As the program itself is started, so that figures are those that users have. */
  private static final String OPTIONS_FILE = "/org/allocsim/simulator/jvm.options";

  private static final List<String> HEAP = List.of("-Xms1g", "-Xmx2g");

  private static final String ENDED = "the command was asked to stop";
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  private final BenchmarkPlan plan;
  private final boolean forks;
  private final SequencedMap<String, String> notRun = new LinkedHashMap<>();

  /** A runner that starts processes where it can. */
  BenchmarkRunner(BenchmarkPlan plan) {
    this(plan, Files.isExecutable(Path.of(System.getProperty("java.home"), "bin", "java")));
  }

  BenchmarkRunner(BenchmarkPlan plan, boolean forks) {
    this.plan = plan;
    this.forks = forks;
  }

  /**
   * Measures. The processes of one benchmark are spread over the whole time, so that what disturbs
   * the machine for a while shows as spread and not as one slow benchmark. Where the process is
   * asked to stop, what has not been measured counts as not run.
   *
   * @throws BenchmarkException where a benchmark fails
   */
  BenchmarkResults run(BenchmarkEngine.Progress progress) throws BenchmarkException {
    List<Case> cases = cases();
    Map<Case, List<RunResult>> results = new LinkedHashMap<>();
    CommandBenchmark commands =
        plan.subjects().contains(BenchmarkPlan.Subject.COMMANDS)
            ? CommandBenchmark.of(plan.effort())
            : null;
    int measured = cases.size() * plan.effort().runs();
    int total = measured + (commands == null ? 0 : commands.commandCount());
    int done = 0;
    List<Measurement> measurements = new ArrayList<>();
    try (EarlyEnd.Part _ = EarlyEnd.part(BenchmarkRunner::endProcesses)) {
      for (int run = 0; run < plan.effort().runs(); run++) {
        for (Case each : cases) {
          progress.done(done++, total);
          Optional<RunResult> result = EarlyEnd.isAsked() ? Optional.empty() : run(each);
          result.ifPresent(
              found -> results.computeIfAbsent(each, _ -> new ArrayList<>()).add(found));
        }
      }
      for (Case each : cases) {
        if (results.containsKey(each)) {
          measurements.add(measurement(each, results.get(each)));
        } else {
          notRun.put(each.what(), ENDED);
        }
      }
      if (commands != null) {
        AtomicInteger ended = new AtomicInteger(measured);
        measurements.addAll(commands.run(() -> progress.done(ended.incrementAndGet(), total)));
      }
    } catch (BenchmarkException e) {
      if (commands == null || !EarlyEnd.isAsked()) {
        throw e;
      }
      notRun.put("whole commands", ENDED);
    }
    progress.done(total, total);
    return new BenchmarkResults(measurements, notRun);
  }

  /**
   * One benchmark with its parameters.
   *
   * @param method name of the class and the method
   */
  private record Case(
      String id, String what, String unit, String method, Map<String, String> parameters) {}

  private List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (BenchmarkPlan.Subject subject : BenchmarkPlan.Subject.values()) {
      if (plan.subjects().contains(subject)) {
        switch (subject) {
          case REPLAY -> addReplays(cases);
          case READ -> addReads(cases);
          case TIME -> addTimes(cases);
          case POLICIES -> addPolicies(cases);
          case BLOCKS -> {
            addBlocks(cases);
            addDevice(cases);
          }
          case COMMANDS -> {
            // No case of JMH.
          }
        }
      }
    }
    return cases;
  }

  private void addReplays(List<Case> cases) {
    for (String program : plan.programs()) {
      for (PolicyCase policy : BenchmarkPlan.pytorch()) {
        cases.add(replay("replay", program, policy, "steady"));
      }
    }
  }

  private void addPolicies(List<Case> cases) {
    for (String program : plan.programs()) {
      for (PolicyCase policy : plan.policies()) {
        Optional<String> reason = ReplayBenchmark.reasonAgainst(policy, program);
        if (reason.isPresent()) {
          notRun.put(policy.label() + " on " + shortName(program), reason.get());
        } else {
          cases.add(replay("policy", program, policy, policy.plans() ? "fresh" : "steady"));
        }
      }
    }
  }

  private static Case replay(String kind, String program, PolicyCase policy, String method) {
    return new Case(
        kind + "/" + shortName(program) + "/" + policy.label(),
        "replay of " + shortName(program) + ", " + policy.label(),
        "event",
        ReplayBenchmark.class.getName() + "." + method,
        Map.of("trace", program, "policy", policy.id(), "options", policy.optionText()));
  }

  private void addReads(List<Case> cases) {
    for (String snapshot : plan.snapshots()) {
      for (Compression compression : Compression.values()) {
        cases.add(
            new Case(
                "read/" + shortName(snapshot) + "/" + compression.label(),
                "reading " + shortName(snapshot) + ", " + words(compression),
                "event",
                SnapshotBenchmark.class.getName() + ".read",
                Map.of("file", snapshot, "compression", compression.name())));
      }
      cases.add(
          new Case(
              "derive/" + shortName(snapshot),
              "reading " + shortName(snapshot) + " and deriving requests",
              "event",
              SnapshotBenchmark.class.getName() + ".derive",
              Map.of("file", snapshot, "compression", Compression.NONE.name())));
    }
  }

  private static String words(Compression compression) {
    return compression == Compression.NONE ? "not compressed" : compression.label();
  }

  private void addTimes(List<Case> cases) {
    for (String program : plan.programs()) {
      cases.add(
          new Case(
              "time/" + shortName(program),
              "simulation in time of " + shortName(program),
              "row",
              TimeBenchmark.class.getName() + ".simulate",
              Map.of("trace", program)));
    }
  }

  private static void addBlocks(List<Case> cases) {
    for (PolicyCase policy : BenchmarkPlan.pytorch()) {
      for (BlocksBenchmark.Sizes sizes : BlocksBenchmark.Sizes.values()) {
        for (int blocks = 100; blocks <= 1_000_000; blocks *= 10) {
          String conf = policy.options().getOrDefault("conf", "");
          cases.add(
              new Case(
                  "blocks/" + policy.label() + "/" + sizes + "/" + blocks,
                  blocks + " live and free blocks, " + sizes + ", " + policy.label(),
                  "event",
                  BlocksBenchmark.class.getName() + ".allocateAndFree",
                  Map.of("blocks", Integer.toString(blocks), "sizes", sizes.name(), "conf", conf)));
        }
      }
    }
  }

  private static void addDevice(List<Case> cases) {
    for (DeviceBenchmark.Layout layout : DeviceBenchmark.Layout.values()) {
      for (int blocks = 100; blocks <= 100_000; blocks *= 10) {
        cases.add(
            new Case(
                "device/" + layout + "/" + blocks,
                "driver call, " + blocks + " blocks and holes, " + layout,
                "call",
                DeviceBenchmark.class.getName() + ".takeAndGiveBack",
                Map.of("blocks", Integer.toString(blocks), "layout", layout.name())));
      }
    }
  }

  /** A program's name, or that of a file without its folder and endings. */
  private static String shortName(String input) {
    String name = input.substring(input.lastIndexOf('/') + 1);
    String plain = Compression.plainName(name);
    int dot = plain.lastIndexOf('.');
    return dot > 0 ? plain.substring(0, dot) : plain;
  }

  private static void endProcesses() {
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
  }

  /** One process; empty where it is asked to stop. */
  private Optional<RunResult> run(Case each) throws BenchmarkException {
    Effort effort = plan.effort();
    TimeValue length = TimeValue.milliseconds(effort.sampleMillis());
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + each.method().replace(".", "\\.") + "$")
            .forks(forks ? 1 : 0)
            .warmupIterations(effort.warmUps())
            .warmupTime(length)
            .measurementIterations(effort.samples())
            .measurementTime(length)
            .addProfiler(GCProfiler.class)
            .jvmArgs(jvmOptions())
            .shouldFailOnError(true);
    each.parameters().forEach(options::param);
    Transcript transcript = new Transcript();
    try {
      RunResult result = new Runner(options.build(), transcript).runSingle();
      return EarlyEnd.isAsked() ? Optional.empty() : Optional.of(result);
    } catch (RunnerException e) {
      if (EarlyEnd.isAsked()) {
        return Optional.empty();
      }
      throw new BenchmarkException(
          "benchmark " + each.id() + " failed: " + transcript.reason(e), e);
    }
  }

  private static String[] jvmOptions() throws BenchmarkException {
    try (InputStream file = Replay.class.getResourceAsStream(OPTIONS_FILE)) {
      String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      Stream<String> options =
          text.lines().filter(line -> !line.isEmpty() && !line.startsWith("#"));
      return Stream.concat(options, HEAP.stream()).toArray(String[]::new);
    } catch (IOException e) {
      throw new BenchmarkException("the options of the JVM cannot be read: " + e.getMessage(), e);
    }
  }

  private static Measurement measurement(Case each, List<RunResult> runs) {
    List<Double> nanosPerEvent = new ArrayList<>();
    List<Double> cpuShares = new ArrayList<>();
    List<Double> requests = new ArrayList<>();
    List<Double> bytes = new ArrayList<>();
    List<Double> allocated = new ArrayList<>();
    double events = 0;
    for (RunResult run : runs) {
      for (BenchmarkResult process : run.getBenchmarkResults()) {
        for (IterationResult iteration : process.getIterationResults()) {
          Counters counters = new Counters(iteration);
          double nanosPerPass = iteration.getPrimaryResult().getScore();
          double nanos = counters.score("events");
          nanosPerEvent.add(nanos);
          // The time is divided by each counter: one by the other gives counters for each event.
          requests.add(nanos / counters.score("requests"));
          bytes.add(nanos / counters.score("bytes"));
          cpuShares.add(1 / counters.score("cpuNanos"));
          allocated.add(counters.score(ALLOCATED) * nanos / nanosPerPass);
          events += iteration.getMetadata().getMeasuredOps() * nanosPerPass / nanos;
        }
      }
    }
    return new Measurement(
        each.id(),
        each.what(),
        each.unit(),
        Samples.of(nanosPerEvent),
        Samples.of(cpuShares).median(),
        Samples.of(requests).median(),
        Samples.of(bytes).median(),
        Samples.of(allocated).median(),
        Double.NaN,
        Math.round(events));
  }

  /** The counters of a sample; JMH hands them out as a raw type. */
  private record Counters(IterationResult iteration) {
    /** Time divided by a counter, or a profiler's figure; NaN where there is none. */
    double score(String name) {
      Result<?> result = iteration.getSecondaryResults().get(name);
      return result == null ? Double.NaN : result.getScore();
    }
  }
}
