package org.allocsim.analysis.tuning;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import org.allocsim.analysis.leak.IterationException;
import org.allocsim.analysis.leak.IterationFinder;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.recording.LateStart;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.analysis.task.ParallelTasks;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.source.DeviceTrace;

/**
 * One program under many settings, ranked: those that serve every request before those that do not,
 * then by peak of reserved memory; peaks that differ by less than 1 % of that of the recorded
 * settings count as equal and rank by modelled driver time, in steps of 1 % of the recorded
 * program's time, then by the number of settings. Where requests fail, the setting that gets
 * further ranks higher.
 *
 * @param ranked one entry for every string tried, the recommended one first, then the best
 * @param recorded the settings that the program was recorded with
 * @param modelled what the recorded settings come to from the start that all others have
 * @param lateStart where that start is not that of the recorded allocator
 * @param plain PyTorch's default
 * @param recommendation the setting to run under, for every command
 * @param demand what the program holds at most, whatever the settings
 * @param steps steps of the program, empty where none are found
 * @param negligibleNanos driver time that does not matter: a hundredth of the time that the program
 *     was recorded
 * @param skipped strings that were not tried, by the reason
 */
public record Tuning(
    List<Entry> ranked,
    Entry recorded,
    RunResult modelled,
    Optional<LateStart> lateStart,
    Entry plain,
    Recommendation recommendation,
    Demand demand,
    Optional<Iterations> steps,
    long negligibleNanos,
    Map<String, List<String>> skipped) {
  /** Peaks that differ by a smaller part of that of the recorded settings count as equal. */
  public static final long STEPS_OF_PEAK = 100;

  private static final long STEPS_OF_TIME = 100;
  private static final long MIN_STEP_NANOS = 10_000_000;
  private static final String ASKED_TO_STOP = "the search was asked to stop before it";

  /** Hears how many settings are done; called by one thread at a time. */
  @FunctionalInterface
  public interface Progress {
    /** So many of all settings are done. */
    void done(int settings, int total);
  }

  /**
   * A setting and what it came to.
   *
   * @param conf configuration string
   * @param scenario the conditions
   * @param result of the run, which ends at the first request that fails
   * @param stepNanos time of the driver's calls in every whole step that was replayed
   * @param findings what is to be known about the string here
   * @param sameAsPlain whether it is not the default and the allocator did the same all the same
   */
  public record Entry(
      String conf,
      Scenario scenario,
      RunResult result,
      List<Long> stepNanos,
      List<LintFinding> findings,
      boolean sameAsPlain) {
    /** Keeps its own copies. */
    public Entry {
      stepNanos = List.copyOf(stepNanos);
      findings = List.copyOf(findings);
    }

    /** The same with another result. */
    Entry with(RunResult other) {
      return new Entry(conf, scenario, other, stepNanos, findings, sameAsPlain);
    }

    /** Mean of the driver's time in a step, −1 without steps. */
    public long nanosPerStep() {
      return stepNanos.isEmpty()
          ? -1
          : stepNanos.stream().mapToLong(Long::longValue).sum() / stepNanos.size();
    }

    SettingOrder.Figures figures() {
      return new SettingOrder.Figures(
          conf,
          result.passes(),
          progressOf(result),
          result.peakReservedBytes(),
          result.driverNanos());
    }

    /** Whether it may be recommended. */
    public boolean isSafe() {
      return ConfLint.isSafe(findings);
    }
  }

  /**
   * What decides of a string how the allocator serves the program; strings that share it share a
   * run.
   */
  private record Rules(AllocatorConfig config, long limitBytes) {
    static Rules of(Scenario scenario, long largestBytes) {
      long limitBytes = scenario.limitBytes();
      return new Rules(
          scenario.config().allocator().forProgram(largestBytes, limitBytes >= 0), limitBytes);
    }
  }

  /**
   * A run.
   *
   * @param modelled the same with modelled addresses and answers, as all other settings have them
   */
  private record TimedResult(RunResult result, RunResult modelled, List<Long> stepNanos) {}

  /**
   * A run that is over while others, and what it is compared with, may not be.
   *
   * @param followed the same with what the device answered in the recording; empty where that is
   *     not followed
   */
  private record Ended(
      RunResult modelled, Supplier<Optional<RunResult>> followed, StepClock clock) {
    TimedResult timed(Optional<Iterations> steps) {
      return new TimedResult(
          followed.get().map(modelled::answeredAs).orElse(modelled),
          modelled,
          steps.map(Iterations::boundaries).map(clock::stepNanos).orElse(List.of()));
    }
  }

  /**
   * Replays a program under every string of a grid, on all cores.
   *
   * <p>Where the process is asked to stop, settings that have not begun are left out; the recorded
   * one and the default are always tried, so that there is an answer.
   *
   * <p>A run ends at the first request that fails. That under the recorded settings goes on: what
   * the program did then was recorded, and so was what the device answered, which it follows.
   *
   * @param grid its first string is the recorded one
   */
  public static Tuning run(Program program, TuningGrid grid, Platform platform, Progress progress) {
    return run(
        program,
        grid,
        platform,
        setup -> program.follow(setup),
        ParallelTasks.beside(() -> steps(program.input())),
        ParallelTasks.beside(() -> demand(program)),
        progress);
  }

  /**
   * As above.
   *
   * @param followed runs the recorded settings and follows what the device answered, as {@link
   *     Program#follow} does
   * @param steps the program's steps, as {@link #steps(DeviceTrace)} finds them
   * @param demand what the program holds, as {@link #demand} finds it
   */
  public static Tuning run(
      Program program,
      TuningGrid grid,
      Platform platform,
      Function<RunSetup, Optional<RunResult>> followed,
      Supplier<Optional<Iterations>> steps,
      Supplier<Demand> demand,
      Progress progress) {
    DeviceTrace input = program.input();
    PyTorchVersion version = program.release();
    RecordedConditions recordedConditions = program.recordedConditions();
    AllocationTrace trace = input.trace();
    int device = input.device();
    DeviceProfile profile = recordedConditions.profile().withHistory(input.addresses());
    long largestBytes = Demand.largestBytes(trace, device);
    List<Scenario> scenarios = new ArrayList<>();
    SequencedMap<Rules, Callable<Optional<Ended>>> tasks = new LinkedHashMap<>();
    for (String conf : grid.confs()) {
      Scenario scenario = Scenario.of(conf, version, recordedConditions.limitBytes(), profile);
      boolean isRecorded = scenarios.isEmpty() && input.recording().isPresent();
      boolean isNeeded = scenarios.isEmpty() || conf.isEmpty();
      scenarios.add(scenario);
      tasks.putIfAbsent(
          Rules.of(scenario, largestBytes),
          () -> {
            if (!isNeeded && EarlyEnd.isAsked()) {
              return Optional.empty();
            }
            StepClock clock = new StepClock();
            RunSetup setup =
                scenario.setup(trace, device, isRecorded ? AfterOom.CONTINUE : AfterOom.STOP);
            Supplier<Optional<RunResult>> answered =
                isRecorded ? ParallelTasks.beside(() -> followed.apply(setup)) : Optional::empty;
            // Nothing is waited for here, so that the next setting can begin.
            return Optional.of(new Ended(Run.of(setup, clock), answered, clock));
          });
    }
    Scenario unset = Scenario.of("", version, recordedConditions.limitBytes(), profile);
    Supplier<Long> negligible = ParallelTasks.beside(() -> negligibleNanos(trace, device));
    Map<Rules, TimedResult> results = new HashMap<>();
    Iterator<Optional<Ended>> done =
        ParallelTasks.run(List.copyOf(tasks.values()), progress::done).iterator();
    tasks
        .keySet()
        .forEach(
            each -> done.next().ifPresent(ended -> results.put(each, ended.timed(steps.get()))));
    List<String> notBegun = new ArrayList<>();
    scenarios.removeIf(each ->
        !results.containsKey(Rules.of(each, largestBytes)) && notBegun.add(each.config().text()));
    Map<String, List<String>> skipped = new LinkedHashMap<>(grid.skipped());
    if (!notBegun.isEmpty()) {
      skipped.put(ASKED_TO_STOP, notBegun);
    }
    Function<Scenario, TimedResult> resultOf =
        each -> Objects.requireNonNull(results.get(Rules.of(each, largestBytes)));
    RunResult plain = resultOf.apply(unset).result;
    Map<String, Entry> entries = new LinkedHashMap<>();
    for (Scenario scenario : scenarios) {
      String conf = scenario.config().text();
      TimedResult timed = resultOf.apply(scenario);
      entries.put(
          conf,
          new Entry(
              conf,
              scenario,
              timed.result,
              timed.stepNanos,
              ConfLint.check(conf, version, platform, scenario.limitBytes() >= 0),
              !conf.isEmpty() && timed.result.isSameAs(plain)));
    }
    Entry recorded = Objects.requireNonNull(entries.get(grid.confs().getFirst()));
    long negligibleNanos = negligible.get();
    RunResult modelled = resultOf.apply(recorded.scenario()).modelled;
    Optional<LateStart> lateStart = LateStart.of(input);
    RunResult compared = compared(lateStart, recorded.result(), modelled);
    long samePeakBytes = compared.peakReservedBytes() / STEPS_OF_PEAK;
    List<Entry> ranked =
        SettingOrder.ranked(
            entries.values(),
            entry -> entry.equals(recorded) ? entry.with(compared).figures() : entry.figures(),
            samePeakBytes,
            negligibleNanos);
    Recommendation recommendation =
        Recommendation.of(
            input, ranked, recorded, modelled, recordedConditions, samePeakBytes, progress);
    return new Tuning(
        SettingOrder.withFirst(recommendation.entry(), ranked),
        recorded,
        modelled,
        lateStart,
        Objects.requireNonNull(entries.get("")),
        recommendation,
        demand.get(),
        steps.get(),
        negligibleNanos,
        skipped);
  }

  /** Keeps its own copies. */
  public Tuning {
    ranked = List.copyOf(ranked);
    skipped = Collections.unmodifiableMap(skipped);
  }

  /** What others are compared with: of a late recording from the start that all others have. */
  public RunResult before() {
    return compared(lateStart, recorded.result(), modelled);
  }

  private static RunResult compared(
      Optional<LateStart> lateStart, RunResult recorded, RunResult modelled) {
    return isComparedFromLateStart(lateStart, recorded, modelled) ? modelled : recorded;
  }

  private static boolean isComparedFromLateStart(
      Optional<LateStart> lateStart, RunResult recorded, RunResult modelled) {
    return lateStart.isPresent() && recorded.passes() && modelled.passes();
  }

  /**
   * The recorded settings from the start that all others have; empty where the recording begins
   * there, too.
   */
  public Optional<Entry> fromSameStart() {
    return isComparedFromLateStart(lateStart, recorded.result(), modelled)
        ? Optional.of(recorded.with(modelled))
        : Optional.empty();
  }

  /** A program's steps, as {@code leaks} finds them; empty where it finds none. */
  public static Optional<Iterations> steps(DeviceTrace input) {
    try {
      return Optional.of(new IterationFinder(input.trace(), input.device()).any());
    } catch (IterationException _) {
      return Optional.empty();
    }
  }

  /** What a program holds at most under PyTorch's default settings. */
  public static Demand demand(Program program) {
    DeviceTrace input = program.input();
    return Demand.of(
        input.trace(), input.device(), Scenario.parsed("", program.release()).allocator());
  }

  private static long negligibleNanos(AllocationTrace trace, int device) {
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (int event = trace.prologueCount(); event < trace.eventCount(); event++) {
      if (trace.device(event) == device) {
        first = Math.min(first, trace.timeNanos(event));
        last = Math.max(last, trace.timeNanos(event));
      }
    }
    return Math.max(MIN_STEP_NANOS, last < first ? 0 : (last - first) / STEPS_OF_TIME);
  }

  /** How far a replay got: 0 for all that pass, else the row of the first failure. */
  public static long progressOf(RunResult result) {
    return result.firstFailure().map(oom -> (long) oom.row()).orElse(0L);
  }

  /** The setting that is recommended; empty where the recorded one is as good. */
  public Optional<Entry> recommended() {
    return Optional.of(best()).filter(entry -> !entry.equals(recorded));
  }

  /** The setting that is recommended, else the recorded one. */
  public Entry best() {
    return recommendation.entry();
  }

  /** Whether no setting can serve all requests, because the program holds more than there is. */
  public boolean isHopeless() {
    return demand.peakRequestedBytes() > plain.scenario().maxBytes();
  }

  /** Whether every setting that was tried fails a request. */
  public boolean allFail() {
    return ranked.stream().noneMatch(entry -> entry.result().passes());
  }
}
