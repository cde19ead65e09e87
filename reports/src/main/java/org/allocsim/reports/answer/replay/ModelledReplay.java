package org.allocsim.reports.answer.replay;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.recording.LateStart;
import org.allocsim.reports.answer.part.LateStartPart;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Sentence;
import org.allocsim.simulator.run.RunResult;

/** What is to be known of a replay of a recording whose answers come from a model. */
public final class ModelledReplay {
  private ModelledReplay() {}

  /**
   * The sentences; none where the recording has no answers that the model replaces.
   *
   * @param divergedRow the event at which the recorded answers did not fit, −1 where they were not
   *     tried
   */
  public static List<Sentence> sentences(Program program, RunResult result, long divergedRow) {
    List<Sentence> sentences = new ArrayList<>();
    if (program.input().recording().isEmpty()) {
      return sentences;
    }
    if (divergedRow >= 0) {
      sentences.add(
          Sentence.of(
              "From event {} on, the allocator behaves differently from the recording; all"
                  + " addresses of the replay are modelled.",
              Quantity.count(divergedRow)));
    }
    LateStart.of(program.input()).map(LateStartPart::sentence).ifPresent(sentences::add);
    long failed = program.input().recording().get().failureCount(program.input().device());
    if (failed > 0 && result.failureCount() == 0 && program.recordedConditions().limitBytes() < 0) {
      sentences.add(
          Sentence.of(
              "{} failed in the recording; here the allocator has no limit and the GPU has {}"
                  + " available. Change them with --memory-limit and --capacity.",
              Quantity.count(failed, "request"),
              Quantity.bytes(program.recordedConditions().profile().capacityBytes())));
    }
    return sentences;
  }
}
