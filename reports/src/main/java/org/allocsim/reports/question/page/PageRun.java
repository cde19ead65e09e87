package org.allocsim.reports.question.page;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.allocsim.analysis.attribution.Attribution;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.program.Trial;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.answer.part.Settings;
import org.allocsim.reports.html.PolicyRecorder;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.input.Traces;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.run.MemorySource;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.run.TimelineObserver;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/** The one run that an answer is about, for its page. */
public final class PageRun {
  private PageRun() {}

  /**
   * The run of a program that was looked at in moments; none where only its end is known.
   *
   * @param attribution what its memory is for
   */
  public static List<TraceRecording> of(
      ReplayedProgram program, Supplier<Attribution> attribution) {
    return program
        .landmarks()
        .map(landmarks ->
            List.of(
                underConf(
                    new TraceRecording(landmarks.program().input(), attribution),
                    landmarks.setup(),
                    program.conf())))
        .orElse(List.of());
  }

  /** A run, and the event at which recorded answers stopped to fit; −1 where they fit. */
  private record Shown(TraceRecording recording, long divergedRow) {}

  /**
   * The run of a trace as it was recorded; none of one without a history.
   *
   * @param device the device that was chosen, or null for the one that matters most
   */
  public static List<TraceRecording> asRecorded(TraceSource source, @Nullable Integer device) {
    if (!source.snapshot().map(Snapshot::hasHistory).orElse(true)) {
      return List.of();
    }
    Program program = Traces.program(source, Conditions.RECORDED.ofDevice(device));
    return List.of(
        Trial.of(
                program,
                (setup, _) ->
                    shown(
                        new TraceRecording(program.input()),
                        setup,
                        Settings.name(program.config().text())),
                Shown::divergedRow)
            .outcome()
            .recording());
  }

  /** As {@link #of(TraceRecording, RunSetup, String)}, of PyTorch's allocator under settings. */
  public static TraceRecording underConf(TraceRecording recording, RunSetup setup, String conf) {
    return of(recording, setup, Settings.name(conf));
  }

  /**
   * Runs a program once more and records it.
   *
   * @param recording the program's, still without runs
   * @param label how the page calls the run
   */
  public static TraceRecording of(TraceRecording recording, RunSetup setup, String label) {
    return shown(recording, setup, label).recording();
  }

  private static Shown shown(TraceRecording recording, RunSetup setup, String label) {
    maxBytes(setup).ifPresent(recording::maxBytes);
    PolicyRecorder recorder = recording.recorder();
    RunResult result = Run.of(setup, new TimelineObserver(recorder.timeline()), recorder);
    if (recorder.recording() != null) {
      recording.add(0, label, recorder.recording(), result.time());
    }
    return new Shown(recording, result.divergedRow());
  }

  private static OptionalLong maxBytes(RunSetup setup) {
    long deviceBytes =
        switch (setup.memory()) {
          case MemorySource.Simulated(var profile) -> profile.capacityBytes();
          case MemorySource.Shared(var device, _) -> device.profile().capacityBytes();
          case MemorySource.Recorded(_, _, long totalBytes) -> totalBytes;
          case MemorySource.Given _ -> Long.MAX_VALUE;
        };
    long bytes =
        setup.limitBytes() == MemoryLimit.NONE
            ? deviceBytes
            : Math.min(setup.limitBytes(), deviceBytes);
    return bytes == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(bytes);
  }
}
