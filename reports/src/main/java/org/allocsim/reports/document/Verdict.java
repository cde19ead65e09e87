package org.allocsim.reports.document;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What an answer comes to.
 *
 * @param tone whether the news is good
 * @param sentence what happened and what to do
 * @param details one fact each
 * @param pasteLine a line for a shell that does it; null where there is none
 */
public record Verdict(
    Tone tone, Sentence sentence, List<Sentence> details, @Nullable String pasteLine) {
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

  /** A verdict without a line for a shell. */
  public Verdict(Tone tone, Sentence sentence, List<Sentence> details) {
    this(tone, sentence, details, null);
  }

  /** A verdict that is all in its sentence. */
  public Verdict(Tone tone, Sentence sentence) {
    this(tone, sentence, List.of());
  }

  /** A verdict of plain text. */
  public static Verdict ofText(
      Tone tone, String sentence, List<String> details, @Nullable String pasteLine) {
    return new Verdict(
        tone, Sentence.of(sentence), details.stream().map(Sentence::of).toList(), pasteLine);
  }

  /** The same behind a sentence that says more: its own is the first of the details. */
  public Verdict after(Sentence first) {
    return new Verdict(
        tone, first, Stream.concat(Stream.of(sentence), details.stream()).toList(), pasteLine);
  }

  /** The same with more facts after its own. */
  public Verdict with(List<Sentence> more) {
    return new Verdict(
        tone, sentence, Stream.concat(details.stream(), more.stream()).toList(), pasteLine);
  }
}
