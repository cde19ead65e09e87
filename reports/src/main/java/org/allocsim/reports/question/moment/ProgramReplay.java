package org.allocsim.reports.question.moment;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.moment.FinalLayout;
import org.allocsim.analysis.moment.Landmarks;
import org.allocsim.analysis.moment.MomentFinder;
import org.allocsim.analysis.moment.Origins;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.input.ReplayNotes;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/** Replays programs, so that their moments can be looked at. */
final class ProgramReplay {
  private ProgramReplay() {}

  /** Replays a program. */
  static ReplayedProgram of(Program program) {
    Landmarks landmarks;
    try (ProgressMeter progress = ProgressMeter.ofEvents("replaying")) {
      landmarks = MomentFinder.survey(program, progress::update);
    }
    DeviceTrace input = program.input();
    return new ReplayedProgram(
        program.name(),
        program.source().sha256(),
        stream -> streamHandle(input.trace(), stream),
        program.config().text(),
        input.device(),
        input.inferences(),
        notes(program, landmarks),
        Origins.of(input.trace(), input.device()),
        new ReplayedProgram.History(landmarks, input));
  }

  /**
   * Replays a program; one without a history can be looked at in its end only.
   *
   * @throws Failure if it has no history and needs one, or the conditions make no sense for it
   */
  static ReplayedProgram read(AskedTrace trace) {
    return read(trace.source(), trace.conditions());
  }

  /** The same of a trace that was read. */
  static ReplayedProgram read(TraceSource source, Conditions conditions) {
    // Settings and limits other than the recorded ones are nothing to ask the end about.
    boolean needsHistory = conditions.conf() != null || conditions.limit() != null;
    boolean hasHistory = source.snapshot().map(Snapshot::hasHistory).orElse(true);
    return hasHistory || needsHistory
        ? of(Traces.program(source, conditions))
        : withoutHistory(source, source.snapshot().orElseThrow(), conditions.deviceIndex());
  }

  private static List<String> notes(Program program, Landmarks landmarks) {
    ReplayNotes notes = new ReplayNotes(program, program.config());
    notes.addOtherDevices();
    if (landmarks.divergedRow() >= 0) {
      notes.add(
          "from event "
              + landmarks.divergedRow()
              + " on, the allocator deviates from the recording; the whole replay uses modelled"
              + " addresses");
    }
    if (!landmarks.hasRecordedAddresses()) {
      notes.addForModelled(landmarks.failures() > 0);
    }
    return notes.toList();
  }

  private static ReplayedProgram withoutHistory(
      TraceSource source, Snapshot snapshot, @Nullable Integer chosen) {
    if (snapshot.segments().isEmpty()) {
      throw new Failure(
          "%s: %s; record with torch.cuda.memory._record_memory_history()"
              .formatted(source.name(), Snapshot.EMPTY));
    }
    int device = chosen == null ? firstDevice(snapshot) : chosen;
    if (snapshot.segments().stream().noneMatch(segment -> segment.device() == device)) {
      throw Failure.usage(
          "%s: device %s has no segments; 'allocsim inspect' shows which devices have some"
              .formatted(source.name(), device));
    }
    FinalLayout layout = FinalLayout.of(snapshot, device);
    List<String> notes = new ArrayList<>(snapshot.notes());
    notes.add(
        "the snapshot has no event history, so only its end is known; record with"
            + " torch.cuda.memory._record_memory_history()");
    return new ReplayedProgram(
        source.name(),
        source.sha256(),
        stream -> snapshot.streamHandles()[stream],
        snapshot.firstConf(),
        device,
        List.of(),
        notes,
        layout.origins(),
        new ReplayedProgram.End(layout.moment()));
  }

  private static int firstDevice(Snapshot snapshot) {
    return snapshot.segments().stream().mapToInt(segment -> segment.device()).min().orElse(0);
  }

  /** Handle of a stream; 0, as of the default stream, where the program asks for nothing on any. */
  private static long streamHandle(AllocationTrace trace, int stream) {
    return trace.streamCount() == 0 ? 0 : trace.streamHandle(stream);
  }
}
