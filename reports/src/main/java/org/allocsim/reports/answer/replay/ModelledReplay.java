package org.allocsim.reports.answer.replay;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.recording.LateStart;
import org.allocsim.reports.answer.part.LateStartPart;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.input.ReplaySetup;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.workloads.source.DeviceTrace;

/** What is to be known of a replay of a recording whose answers come from a model. */
final class ModelledReplay {
  private ModelledReplay() {}

  /**
   * The sentences; none where the recording has no answers that the model replaces.
   *
   * @param divergedRow the event at which the recorded answers did not fit, −1 where they were not
   *     tried
   */
  static List<Sentence> sentences(ReplaySetup setup, RunResult result, long divergedRow) {
    List<Sentence> sentences = new ArrayList<>();
    if (setup.recording().isEmpty()) {
      return sentences;
    }
    if (divergedRow >= 0) {
      sentences.add(
          Sentence.of(
              "From event {} on the allocator does something else than in the recording; the"
                  + " addresses of the whole replay are modelled.",
              Quantity.count(divergedRow)));
    }
    LateStart.of(new DeviceTrace(setup.input(), setup.device()))
        .map(LateStartPart::sentence)
        .ifPresent(sentences::add);
    long failed = setup.recording().get().failureCount(setup.device());
    if (failed > 0 && result.failureCount() == 0 && setup.limitBytes() < 0) {
      sentences.add(
          Sentence.of(
              "{} failed in the recording; here the allocator has no limit, and the GPU has {} to"
                  + " give: --memory-limit and --capacity set others.",
              Quantity.count(failed, "request"),
              Quantity.bytes(setup.profile().capacityBytes())));
    }
    return sentences;
  }
}
