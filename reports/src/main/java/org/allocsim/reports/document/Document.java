package org.allocsim.reports.document;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An answer: people read the verdict and the sections, programs the content.
 *
 * @param <T> the content
 * @param kind what it answers
 * @param title what it is about, such as the file
 * @param verdict what it comes to; null where there is nothing to judge
 * @param sections what people read after the verdict
 * @param csv tables that are written as CSV, under what their files' names add to that of the
 *     answer; the first of them where one file is asked for
 * @param content what the JSON is made of
 */
public record Document<T>(
    Kind<T> kind,
    String title,
    @Nullable Verdict verdict,
    List<Section> sections,
    Map<String, Table<?>> csv,
    T content) {
  /** Keeps its own copy of sections and tables. */
  public Document {
    sections = List.copyOf(sections);
    csv = Collections.unmodifiableMap(new LinkedHashMap<>(csv));
  }

  /** A document of which one table is written as CSV. */
  public Document(
      Kind<T> kind,
      String title,
      @Nullable Verdict verdict,
      List<Section> sections,
      Table<?> csv,
      T content) {
    this(kind, title, verdict, sections, Map.of("", csv), content);
  }

  /** The table that is written where one file of CSV is asked for; null where there is none. */
  public @Nullable Table<?> mainCsv() {
    return csv.values().stream().findFirst().orElse(null);
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
