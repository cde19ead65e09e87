package org.allocsim.reports.answer.compare;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.moment.ObservedRun;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.recording.LateStart;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.reports.answer.part.InferenceText;
import org.allocsim.reports.answer.part.NextCommand;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.source.DeviceTrace;
import org.jspecify.annotations.Nullable;

/**
 * A trace and what policies made of it.
 *
 * @param file the file's name as it was given
 * @param sha256 digest of the file's bytes, in hexadecimal; null for a program
 * @param format id of its format
 * @param trace the requests
 * @param device index of the recorded device
 * @param release the release of PyTorch whose rules applied
 * @param recordedConditions the simulated device and the allocator's own limit
 * @param conf settings that the program was recorded with; null where they are not known
 * @param tuning the search for settings; null where the user chose them
 * @param lateStart what was held before the first entry
 * @param next commands about the same
 * @param notes what the reader passed over or changed
 * @param runs what policies made of it, by group of policies, each in the order of {@link #RANK}
 */
public record ComparedTrace(
    String file,
    @Nullable String sha256,
    String format,
    AllocationTrace trace,
    int device,
    PyTorchVersion release,
    RecordedConditions recordedConditions,
    @Nullable String conf,
    @Nullable Tuning tuning,
    Optional<LateStart> lateStart,
    NextCommand next,
    List<String> notes,
    List<ObservedRun> runs) {
  /** What serves every request comes first, the lowest reserved memory first. */
  public static final Comparator<RunResult> RANK =
      Comparator.comparing((RunResult result) -> !result.isRun())
          .thenComparing(result -> !result.passes())
          .thenComparingLong(RunResult::failureCount)
          .thenComparingLong(RunResult::peakReservedBytes)
          .thenComparing(result -> result.choice().label());

  /** Groups and ranks the runs. */
  public ComparedTrace {
    notes = List.copyOf(notes);
    runs =
        runs.stream()
            .sorted(
                Comparator.comparing(
                        (ObservedRun run) -> run.result().choice().provider().spec().use().group())
                    .thenComparing(ObservedRun::result, RANK))
            .toList();
  }

  /**
   * A trace with what policies made of it.
   *
   * @param tuning the search for settings; null where the user chose them
   */
  public static ComparedTrace of(Program program, @Nullable Tuning tuning, List<ObservedRun> runs) {
    DeviceTrace input = program.input();
    return new ComparedTrace(
        input.name(),
        input.sha256(),
        input.format(),
        input.trace(),
        input.device(),
        program.release(),
        program.recordedConditions(),
        input.conf(),
        tuning,
        LateStart.of(input),
        NextCommand.of(program),
        InferenceText.notes(input),
        runs);
  }

  /** The figures of the runs, in their order. */
  public List<RunResult> results() {
    return runs.stream().map(ObservedRun::result).toList();
  }

  /** The file's name without its folder. */
  String shortName() {
    return String.valueOf(Path.of(file).getFileName());
  }
}
