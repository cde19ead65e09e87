package org.allocsim.reports.document;

import java.util.List;

/**
 * Sentences for those who want to know more.
 *
 * @param sentences one note each
 */
public record Notes(List<Sentence> sentences) implements Block {
  /** Keeps its own copy. */
  public Notes {
    sentences = List.copyOf(sentences);
  }
}
