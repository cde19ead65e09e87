package org.allocsim.reports.document;

import java.util.List;

/**
 * An answer: people read the verdict and the sections, programs the content.
 *
 * @param <T> the content
 * @param kind what it answers
 * @param title what it is about, such as the file
 * @param verdict what it comes to; null where there is nothing to judge
 * @param sections what people read after the verdict
 * @param csv the rows that are written as CSV; null where there are none
 * @param content what the JSON is made of
 */
public record Document<T>(
    Kind<T> kind, String title, Verdict verdict, List<Section> sections, Table<?> csv, T content) {
  /** Keeps its own copy of the sections. */
  public Document {
    sections = List.copyOf(sections);
  }

  /** The tables that people read, in their order. */
  public List<Table<?>> tables() {
    return sections.stream()
        .flatMap(section -> section.blocks().stream())
        .filter(Table.class::isInstance)
        .<Table<?>>map(block -> (Table<?>) block)
        .toList();
  }
}
