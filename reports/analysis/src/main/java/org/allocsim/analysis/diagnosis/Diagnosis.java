package org.allocsim.analysis.diagnosis;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.allocsim.analysis.leak.IterationException;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.analysis.leak.LeakAnalysis;
import org.allocsim.analysis.leak.ServedBlocks;
import org.allocsim.analysis.moment.CodeLine;
import org.allocsim.analysis.moment.Culprits;
import org.allocsim.analysis.moment.Landmarks;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentFinder;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.moment.Origins;
import org.allocsim.analysis.oom.OomExplainer;
import org.allocsim.analysis.oom.OomExplanation;
import org.allocsim.analysis.oom.OomMessage;
import org.allocsim.analysis.oom.OomMessageParser;
import org.allocsim.analysis.oom.OomSettings;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.analysis.task.ParallelTasks;
import org.allocsim.analysis.tuning.CapacitySearch;
import org.allocsim.analysis.tuning.Demand;
import org.allocsim.analysis.tuning.Fragility;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.analysis.tuning.TuningGrid;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.source.DeviceTrace;

/**
 * What happened to a recorded program, who holds its memory, and what would have helped.
 *
 * @param tuning the settings that were tried
 * @param landmarks the program under the recorded settings, with its first failed request
 * @param moment memory when that request failed; where none failed, at the fullest moment of the
 *     highest reservation
 * @param culprits who holds the memory of that moment
 * @param askedAt the line that made the failed request; empty where none failed or no stack shows
 *     it
 * @param why why it failed, by the numbers of its message; empty where none failed
 * @param endsWithFailure whether the program asked for nothing after it, so that its further needs
 *     are not known
 * @param copies changed copies under the recommended setting; empty where it fails anyway, or
 *     nothing says how much memory there was
 * @param recordedGpu the smallest known GPU for the recorded settings
 * @param bestGpu the same for the best setting
 * @param missingBytes how much more memory the best of the usual settings needs than there is;
 *     empty where some setting serves every request, or the allocator's limit never suffices
 * @param leaks what memory does over the program's steps; empty where it has none
 */
public record Diagnosis(
    Tuning tuning,
    Landmarks landmarks,
    MemoryMoment moment,
    Culprits culprits,
    Optional<CodeLine> askedAt,
    Optional<OomExplanation> why,
    boolean endsWithFailure,
    Optional<Fragility> copies,
    Optional<DeviceProfile> recordedGpu,
    Optional<DeviceProfile> bestGpu,
    OptionalLong missingBytes,
    Optional<LeakAnalysis> leaks) {
  /**
   * Diagnoses a recorded program.
   *
   * @param grid the settings to try, the recorded ones first
   * @param progress hears of settings that were tried and of copies
   */
  public static Diagnosis of(
      Program program, TuningGrid grid, Platform platform, Tuning.Progress progress) {
    return new Work(program).diagnose(grid, platform, progress);
  }

  /** The deciding moment of a program under the recorded settings. */
  private record Held(MemoryMoment moment, Origins origins) {}

  /** The parts of a diagnosis. */
  private record Work(Program program) {
    private DeviceTrace input() {
      return program.input();
    }

    private RecordedConditions recordedConditions() {
      return program.recordedConditions();
    }

    Diagnosis diagnose(TuningGrid grid, Platform platform, Tuning.Progress progress) {
      ServedBlocks served = new ServedBlocks();
      Supplier<Landmarks> surveyed =
          ParallelTasks.beside(() -> MomentFinder.survey(program, Progress.NONE, served));
      Supplier<Optional<Iterations>> steps = ParallelTasks.beside(() -> Tuning.steps(input()));
      Supplier<Optional<LeakAnalysis>> leaks =
          ParallelTasks.beside(() -> {
            Optional<Iterations> found = steps.get();
            // Only once the survey is over are all blocks noted.
            Landmarks whole = surveyed.get();
            return found.flatMap(each -> leaks(whole, each, served));
          });
      Supplier<Held> atMoment = ParallelTasks.beside(() -> held(surveyed.get()));
      Supplier<Demand> demand = ParallelTasks.beside(() -> Tuning.demand(program));
      Supplier<Optional<DeviceProfile>> recordedGpu =
          ParallelTasks.beside(
              () -> smallestGpu(program.config(), surveyed.get().result(), demand.get()));
      Tuning tuning = tune(grid, platform, surveyed, steps, demand, progress);
      Tuning.Entry best = tuning.best();
      Optional<Fragility> copies = copies(tuning, progress);
      Held held = atMoment.get();
      Landmarks landmarks = surveyed.get();
      Optional<FailedRequest> failed = landmarks.firstFailure();
      return new Diagnosis(
          tuning,
          landmarks,
          held.moment(),
          Culprits.of(held.moment(), held.origins()),
          failed.flatMap(each -> CodeLine.of(held.origins(), each.allocation())),
          failed.map(this::why),
          failed.isPresent() && failed.get().requestIndex() == landmarks.requests() - 1,
          copies,
          recordedGpu.get(),
          best.equals(tuning.recorded())
              ? recordedGpu.get()
              : smallestGpu(best.scenario().config(), best.result(), tuning.demand()),
          best.result().passes() ? OptionalLong.empty() : missingBytes(best, progress),
          leaks.get());
    }

    /** What the memory holds when the first request fails, else at its peak. */
    private Held held(Landmarks landmarks) {
      Origins origins = Origins.of(input().trace(), input().device());
      MomentQuery.Kind kind =
          landmarks.firstFailure().isPresent()
              ? MomentQuery.Kind.FIRST_OOM
              : MomentQuery.Kind.PEAK_RESERVED;
      return new Held(
          MomentFinder.at(landmarks, MomentQuery.of(kind), origins, Progress.NONE).orElseThrow(),
          origins);
    }

    private Tuning tune(
        TuningGrid grid,
        Platform platform,
        Supplier<Landmarks> surveyed,
        Supplier<Optional<Iterations>> steps,
        Supplier<Demand> demand,
        Tuning.Progress progress) {
      return Tuning.run(
          program,
          grid,
          platform,
          _ ->
              Optional.of(surveyed.get())
                  .filter(Landmarks::hasRecordedAddresses)
                  .map(Landmarks::result),
          steps,
          demand,
          progress);
    }

    /** Tries the margin, where anything says how much memory there was. */
    private Optional<Fragility> copies(Tuning tuning, Tuning.Progress progress) {
      return !tuning.best().result().passes() || recordedConditions().areUnknown()
          ? Optional.empty()
          : tuning.recommendation().withCopies(input(), progress).copies();
    }

    private OomExplanation why(FailedRequest failed) {
      OomSettings settings =
          program.config().text().isEmpty()
              ? OomSettings.UNKNOWN
              : new OomSettings(program.config().text(), "by the recording");
      OomMessage message = OomMessageParser.parse(failed.message());
      return OomExplainer.explain(
          recordedConditions().limitBytes() == MemoryLimit.NONE
              ? message
              : message.withLimit(recordedConditions().limitBytes()),
          settings,
          false);
    }

    private Optional<DeviceProfile> smallestGpu(
        ParsedConfig settings, RunResult known, Demand demand) {
      return CapacitySearch.smallestGpu(
          input().trace(), input().device(), onDevices(settings), demand, known);
    }

    private OptionalLong missingBytes(Tuning.Entry best, Tuning.Progress progress) {
      SequencedSet<ParsedConfig> configs = new LinkedHashSet<>();
      configs.add(best.scenario().config());
      configs.add(program.config());
      List<Function<DeviceProfile, Scenario>> settings =
          configs.stream().map(this::onDevices).toList();
      return CapacitySearch.run(input().trace(), input().device(), settings, progress).stream()
          .mapToLong(CapacitySearch.Result::capacityBytes)
          .filter(bytes -> bytes >= 0)
          .map(bytes -> bytes - recordedConditions().maxBytes())
          .min();
    }

    /** A setting on devices of any size, without a limit. */
    private Function<DeviceProfile, Scenario> onDevices(ParsedConfig settings) {
      return device -> new Scenario(settings, program.release(), MemoryLimit.NONE, device);
    }

    private static Optional<LeakAnalysis> leaks(
        Landmarks whole, Iterations steps, ServedBlocks served) {
      DeviceTrace replayed = whole.program().input();
      try {
        return Optional.of(LeakAnalysis.of(replayed.trace(), replayed.device(), steps, served, -1));
      } catch (IterationException _) {
        return Optional.empty();
      }
    }
  }
}
