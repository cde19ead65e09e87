package org.allocsim.reports.document;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Short facts with a word before each.
 *
 * @param facts the facts under their words, in their order
 */
public record Facts(Map<String, Sentence> facts) implements Block {
  /** Keeps its own copy. */
  public Facts {
    facts = new LinkedHashMap<>(facts);
  }

  /** No facts yet. */
  public static Facts none() {
    return new Facts(Map.of());
  }

  /**
   * These facts and one more.
   *
   * @param pattern as {@link Sentence#of} takes it
   */
  public Facts and(String word, String pattern, Object... values) {
    Map<String, Sentence> more = new LinkedHashMap<>(facts);
    more.put(word, Sentence.of(pattern, values));
    return new Facts(more);
  }
}
