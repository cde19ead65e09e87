package org.allocsim.reports.answer.part;

import org.allocsim.analysis.recording.LateStart;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Sentence;

/** What is modelled of a program whose recording begins late. */
public final class LateStartPart {
  private LateStartPart() {}

  /** The sentence. */
  public static Sentence sentence(LateStart start) {
    return Sentence.of(
        "The recording starts late, with {} reserved and {} of it in use; other settings are"
            + " simulated from the blocks in use, with an empty cache.",
        Quantity.bytes(start.reservedBytes()),
        Quantity.bytes(start.usedBytes()));
  }
}
