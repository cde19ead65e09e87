package org.allocsim.reports.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.reports.advice.PolicyChoice;
import org.allocsim.reports.advice.PolicyResult;
import org.allocsim.reports.advice.PolicyTrial;
import org.allocsim.reports.html.PolicyRecorder;
import org.allocsim.reports.html.PolicyRecording;
import org.allocsim.reports.html.TraceRecording;

/** Runs policies as {@link PolicyTrial} does, and records for a page what each of them does. */
final class RecordedTrial {
  private final PolicyTrial trial;
  private final TraceRecording recording;
  private final Map<PolicyResult, PolicyRecording> recordings = new IdentityHashMap<>();

  RecordedTrial(PolicyTrial trial, String name) {
    this.trial = trial;
    recording = new TraceRecording(name, trial.trace(), trial.device());
  }

  List<PolicyResult> runAll(List<PolicyChoice> choices, PolicyTrial.Progress progress) {
    PolicyRecorder[] recorders = new PolicyRecorder[choices.size()];
    List<PolicyResult> results =
        trial.runAll(
            choices,
            place -> {
              PolicyRecorder recorder = recording.recorder();
              recorders[place] = recorder;
              return new PolicyTrial.Audience(recorder.timeline(), recorder, recorder);
            },
            progress);
    for (int i = 0; i < recorders.length; i++) {
      recordings.put(results.get(i), recorders[i].recording());
    }
    return results;
  }

  /**
   * What was recorded.
   *
   * @param rows the results in the order in which the page shows them
   */
  TraceRecording recording(List<PolicyResult> rows) {
    List<Integer> order = new ArrayList<>();
    // PyTorch under its settings is what most readers look at: it is kept whole before the others.
    for (boolean isPyTorch : Arrays.asList(true, false)) {
      for (int row = 0; row < rows.size(); row++) {
        boolean is =
            rows.get(row).choice().provider().spec().id().equals(CompareCommand.PYTORCH);
        if (is == isPyTorch && recordings.get(rows.get(row)) != null) {
          order.add(row);
        }
      }
    }
    for (int row : order) {
      recording.add(row, rows.get(row).choice().label(), recordings.get(rows.get(row)));
    }
    return recording;
  }
}
