package org.allocsim.reports.cli;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.allocsim.reports.advice.PolicyPortrait;
import org.allocsim.reports.advice.PolicySitting;
import org.allocsim.reports.html.PolicyRecorder;
import org.allocsim.reports.html.PolicyRecording;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.run.RunResult;

/**
 * Runs policies as {@link PolicyTrial} does, each once, for figures, charts and page alike: what a
 * page shows of a run is recorded while it goes on.
 */
final class RecordedTrial {
  private final PolicyTrial trial;
  private final TraceRecording recording;
  private final IdentityHashMap<PolicyChoice, PolicyRecording> recordings = new IdentityHashMap<>();

  /**
   * A trial.
   *
   * @param name how a page calls the trace; null where no page and no charts are wanted
   */
  RecordedTrial(PolicyTrial trial, String name) {
    this.trial = trial;
    recording = name == null ? null : new TraceRecording(name, trial.trace(), trial.device());
  }

  /** Runs every choice, on all cores; the portraits are in the order of the choices. */
  List<PolicyPortrait> runAll(List<PolicyChoice> choices, PolicyTrial.Progress progress) {
    PolicySitting[] sittings = new PolicySitting[choices.size()];
    PolicyRecorder[] recorders = new PolicyRecorder[choices.size()];
    List<RunResult> results =
        trial.runAll(
            choices,
            place -> {
              PolicySitting sitting = new PolicySitting(recording != null);
              sittings[place] = sitting;
              if (recording == null) {
                return sitting.audience(EffectListeners.NONE, PolicyTrial.Observer.NONE);
              }
              PolicyRecorder recorder = recording.recorder(sitting.timeline());
              recorders[place] = recorder;
              return sitting.audience(recorder, recorder);
            },
            progress);
    List<PolicyPortrait> portraits = new ArrayList<>();
    for (int i = 0; i < sittings.length; i++) {
      portraits.add(sittings[i].portrait(trial, results.get(i)));
      if (recorders[i] != null) {
        recordings.put(results.get(i).choice(), recorders[i].recording());
      }
    }
    return portraits;
  }

  /**
   * What was recorded. The page shows the best setting of PyTorch first, beside the recorded one.
   *
   * @param rows the results in the order in which the page shows them
   * @param recordedConf settings that the program was recorded with; null where they are not known
   */
  TraceRecording recording(List<RunResult> rows, String recordedConf) {
    KeyRuns key = KeyRuns.of(rows, recordedConf);
    // What most readers look at is kept whole before the others: PyTorch under its settings.
    SequencedSet<RunResult> order = new LinkedHashSet<>(key.runs());
    rows.stream().filter(KeyRuns::isPyTorch).forEach(order::add);
    order.addAll(rows);
    List<Integer> highlights = new ArrayList<>();
    Integer first = null;
    Integer recorded = null;
    for (RunResult result : order) {
      PolicyRecording each = recordings.get(result.choice());
      if (each == null) {
        continue;
      }
      int row = rows.indexOf(result);
      recording.add(row, result.choice().label(), each, result.time());
      if (key.runs().contains(result)) {
        highlights.add(row);
      }
      boolean isPyTorch = KeyRuns.isPyTorch(result);
      first = isPyTorch && (first == null || row < first) ? Integer.valueOf(row) : first;
      recorded = KeyRuns.isUnder(result, recordedConf) ? Integer.valueOf(row) : recorded;
    }
    recording.highlight(highlights);
    if (recorded != null) {
      recording.recorded(recorded);
    }
    if (first != null) {
      recording.opensWith(first, first.equals(recorded) ? null : recorded);
    }
    return recording;
  }
}
