package org.allocsim.reports.answer.compare;

import java.util.List;
import org.allocsim.analysis.moment.ObservedRun;
import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.input.Settings;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * A trace as a page shows it that is about no particular question: run and recorded.
 *
 * @param compared the figures of its runs
 * @param recording what the page shows of them
 */
public record ViewedTrace(ComparedTrace compared, TraceRecording recording) {
  /**
   * Runs a trace.
   *
   * @param choices settings, the recorded ones first
   */
  public static ViewedTrace of(
      DeviceTrace input, RecordedCircumstances circumstances, List<PolicyChoice> choices) {
    RecordedTrial trial = new RecordedTrial(input, circumstances, true);
    List<ObservedRun> observed;
    try (ProgressMeter progress = ProgressMeter.of("replaying", "policies")) {
      observed = trial.runAll(choices, progress::update);
    }
    ComparedTrace compared = ComparedTrace.of(input, circumstances, null, observed);
    return new ViewedTrace(compared, trial.recording(compared.results(), input.conf()));
  }

  /**
   * What a page shows of a file as it was recorded; nothing of one without a history.
   *
   * @param format its format, or null for that of its content
   * @param device the device that was chosen, or null for the one that matters most
   */
  public static List<TraceRecording> asRecorded(
      String name, @Nullable String format, @Nullable Integer device) {
    TraceSource source = Traces.open(name, format);
    if (!source.snapshot().map(Snapshot::hasHistory).orElse(true)) {
      return List.of();
    }
    ReadingOptions reading = source.defaultOptions();
    OpenedTrace opened = Traces.read(source, reading);
    DeviceTrace input = new DeviceTrace(opened, Traces.device(opened, device));
    return List.of(
        of(
                input,
                RecordedCircumstances.of(input, MemoryLimit.NONE, null),
                List.of(
                    Settings.pytorch(
                        Settings.recorded(source, reading.version()), reading.version())))
            .recording());
  }
}
