package org.allocsim.reports.cli;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
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
  private final IdentityHashMap<PolicyResult, PolicyRecording> recordings = new IdentityHashMap<>();

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
   * What was recorded. The page shows the best setting of PyTorch first, beside the recorded one.
   *
   * @param rows the results in the order in which the page shows them
   * @param recordedConf settings that the program was recorded with; null where they are not known
   */
  TraceRecording recording(List<PolicyResult> rows, String recordedConf) {
    List<Integer> pytorch = new ArrayList<>();
    List<Integer> others = new ArrayList<>();
    Integer recorded = null;
    for (int row = 0; row < rows.size(); row++) {
      PolicyResult result = rows.get(row);
      if (recordings.get(result) == null) {
        continue;
      }
      boolean isPyTorch = result.choice().provider().spec().id().equals(CompareCommand.PYTORCH);
      (isPyTorch ? pytorch : others).add(row);
      if (isPyTorch && result.choice().options().getOrDefault("conf", "").equals(recordedConf)) {
        recorded = row;
      }
    }
    // PyTorch under its settings is what most readers look at: it is kept whole before the others.
    pytorch.addAll(others);
    for (int row : pytorch) {
      recording.add(row, rows.get(row).choice().label(), recordings.get(rows.get(row)));
    }
    if (!pytorch.isEmpty()) {
      int first = pytorch.getFirst();
      recording.opensWith(first, recorded == null || recorded == first ? null : recorded);
    }
    return recording;
  }
}
