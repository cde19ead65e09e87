package org.allocsim.reports.answer.part;

import org.allocsim.reports.document.Sentence;

/** The command that goes on where an answer ends. */
public final class NextStep {
  private NextStep() {}

  /** For answers in which a request fails, or a setting is recommended. */
  public static Sentence diagnose(String trace) {
    return Sentence.of(
        "Next: 'allocsim diagnose {}' shows which program lines hold the memory, and which setting"
            + " would fit it with what margin.",
        trace);
  }

  /** For answers in which all is well. */
  public static Sentence tune(String trace) {
    return Sentence.of("Next: 'allocsim tune {}' searches for settings that reserve less.", trace);
  }
}
