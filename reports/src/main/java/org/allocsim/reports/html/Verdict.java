package org.allocsim.reports.html;

import java.util.List;

/**
 * What a page says first.
 *
 * @param tone whether the news is good
 * @param sentence what happened and what to do
 * @param details one fact each
 * @param pasteLine a line for a shell that does it; null where there is none
 */
public record Verdict(Tone tone, String sentence, List<String> details, String pasteLine) {
  /** Whether the news is good. */
  public enum Tone {
    /** Something better was found, or all is as it should be. */
    GOOD,
    /** Nothing to do. */
    NEUTRAL,
    /** Something fails. */
    BAD
  }

  /** Keeps its own copy of the details. */
  public Verdict {
    details = List.copyOf(details);
  }
}
