package org.allocsim.reports.document;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sentences for those who want to know more.
 *
 * @param title their heading; null where each is a paragraph
 * @param sentences one note each
 */
public record Notes(@Nullable String title, List<Sentence> sentences) implements Block {
  /** Keeps its own copy. */
  public Notes {
    sentences = List.copyOf(sentences);
  }

  /** Sentences under the heading of notes. */
  public Notes(List<Sentence> sentences) {
    this("notes", sentences);
  }

  /** Plain texts under a heading. */
  public static Notes of(@Nullable String title, List<String> texts) {
    return new Notes(title, texts.stream().map(Sentence::of).toList());
  }
}
