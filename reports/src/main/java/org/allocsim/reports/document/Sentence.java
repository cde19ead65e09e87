package org.allocsim.reports.document;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A sentence with quantities in it.
 *
 * @param parts texts and {@link Quantity quantities}, in the order in which they are read
 */
public record Sentence(List<Object> parts) {
  private static final String PLACE = "{}";

  /** Keeps its own copy. */
  public Sentence {
    parts = List.copyOf(parts);
  }

  /**
   * A sentence.
   *
   * @param pattern text in which {@code {}} stands for the values, one after the other
   * @param values quantities, sentences or texts
   */
  public static Sentence of(String pattern, Object... values) {
    List<Object> parts = new ArrayList<>();
    int from = 0;
    for (Object value : values) {
      int place = pattern.indexOf(PLACE, from);
      if (place < 0) {
        throw new IllegalArgumentException("more values than placeholders in: " + pattern);
      }
      parts.add(pattern.substring(from, place));
      switch (value) {
        case Sentence inner -> parts.addAll(inner.parts);
        case Quantity quantity -> parts.add(quantity);
        default -> parts.add(value.toString());
      }
      from = place + PLACE.length();
    }
    if (values.length > 0 && pattern.indexOf(PLACE, from) >= 0) {
      throw new IllegalArgumentException("more placeholders than values in: " + pattern);
    }
    parts.add(pattern.substring(from));
    return new Sentence(parts);
  }

  /** The sentence as people read it. */
  @Override
  public String toString() {
    return parts.stream().map(Object::toString).collect(Collectors.joining());
  }
}
