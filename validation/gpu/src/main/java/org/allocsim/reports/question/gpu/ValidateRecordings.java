package org.allocsim.reports.question.gpu;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.allocsim.reports.html.PolicyRecorder;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.run.TimelineObserver;
import org.allocsim.workloads.source.DeviceTrace;

/**
 * The simulated runs that the page of {@code validate} shows. They are made on the profile that the
 * prediction began with; addresses that it learned from the GPU are not in them.
 */
public final class ValidateRecordings {
  private final IdentityHashMap<DeviceTrace, TraceRecording> byTrace = new IdentityHashMap<>();
  private final List<TraceRecording> traces = new ArrayList<>();

  /**
   * Simulates a case and records it.
   *
   * @param row place of the case among all
   */
  public void add(
      DeviceTrace input, int row, PolicyChoice choice, long limitBytes, DeviceProfile profile) {
    TraceRecording recording =
        byTrace.computeIfAbsent(
            input,
            each -> {
              TraceRecording made = new TraceRecording(each);
              traces.add(made);
              return made;
            });
    PolicyRecorder recorder = recording.recorder();
    Run.of(
        new RunSetup(input.trace(), input.device(), choice, limitBytes, profile),
        new TimelineObserver(recorder.timeline()),
        recorder);
    if (recorder.recording() != null) {
      recording.add(row, choice.label(), recorder.recording());
    }
  }

  /** The recordings in the order of their traces. */
  public List<TraceRecording> traces() {
    return List.copyOf(traces);
  }
}
