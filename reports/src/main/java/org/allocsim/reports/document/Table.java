package org.allocsim.reports.document;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.allocsim.analysis.text.Numbers;
import org.jspecify.annotations.Nullable;

/**
 * Subjects of one shape, a row each. The first column of words that has a label names a row.
 *
 * @param <R> a row
 * @param caption what the table shows
 * @param shape the columns
 * @param rows the rows in their order
 * @param skipped why people find a row below the table, in a sentence, and not in it: continues the
 *     row's name; null for rows of the table
 * @param kept which rows stand in the table on paper; the page and CSV have all
 * @param more what is said of the others; null where all are kept
 * @param essential which rows an excerpt has before others, as totals
 * @param group the heading above a row and those of the same heading that follow it; null for none
 * @param pointer where the rows stand in the JSON of the document, as a JSON Pointer; null where
 *     they do not
 */
public record Table<R>(
    String caption,
    Shape<R> shape,
    List<R> rows,
    Function<? super R, @Nullable String> skipped,
    Predicate<? super R> kept,
    @Nullable More more,
    Predicate<? super R> essential,
    Function<? super R, @Nullable String> group,
    @Nullable String pointer)
    implements Block {
  /**
   * What is said of rows that are not kept.
   *
   * @param noun what a row is, in the singular
   * @param remedy where all of them can be had
   */
  public record More(String noun, String remedy) {}

  /** Keeps its own copy of the rows. */
  public Table {
    rows = List.copyOf(rows);
  }

  /** A table in which every row is shown. */
  public static <R> Table<R> of(String caption, Shape<R> shape, List<? extends R> rows) {
    return new Table<>(
        caption, shape, List.copyOf(rows), _ -> null, _ -> true, null, _ -> false, _ -> null, null);
  }

  /** The same table, of which some rows are left out for a reason. */
  public Table<R> leavingOut(Function<? super R, @Nullable String> reason) {
    return new Table<>(caption, shape, rows, reason, kept, more, essential, group, pointer);
  }

  /** The same table, of which paper keeps some rows. */
  public Table<R> keeping(Predicate<? super R> isKept, More others) {
    return new Table<>(caption, shape, rows, skipped, isKept, others, essential, group, pointer);
  }

  /** The same table, of which paper keeps the first rows. */
  public Table<R> first(int count, More others) {
    Set<R> first = Collections.newSetFromMap(new IdentityHashMap<>());
    first.addAll(rows.subList(0, Math.min(count, rows.size())));
    return keeping(first::contains, others);
  }

  /** The same table, of which paper keeps every row. */
  public Table<R> whole() {
    return new Table<>(caption, shape, rows, skipped, _ -> true, null, essential, group, pointer);
  }

  /** The same table, of which an excerpt has some rows before others. */
  public Table<R> withEssential(Predicate<? super R> isEssential) {
    return new Table<>(caption, shape, rows, skipped, kept, more, isEssential, group, pointer);
  }

  /** The same table, with headings between its rows. */
  public Table<R> groupedBy(Function<? super R, @Nullable String> heading) {
    return new Table<>(caption, shape, rows, skipped, kept, more, essential, heading, pointer);
  }

  /** The same table, whose rows stand at this place of the JSON. */
  public Table<R> at(String jsonPointer) {
    return new Table<>(caption, shape, rows, skipped, kept, more, essential, group, jsonPointer);
  }

  /** The columns that people see. */
  public List<Column<R>> readable() {
    return shape.columns().stream()
        .filter(column -> column.label() != null)
        .filter(column -> !column.isOptional() || rows.stream().anyMatch(row -> has(column, row)))
        .toList();
  }

  private boolean has(Column<R> column, R row) {
    return skipped.apply(row) == null && column.value(row) != null;
  }

  /** The rows that stand in the table. */
  public List<R> shown() {
    return rows.stream().filter(row -> skipped.apply(row) == null && kept.test(row)).toList();
  }

  /**
   * As many of the rows that stand in the table, in their order: essential ones, then the first.
   */
  public List<R> foremost(int count) {
    List<R> all = shown();
    Set<R> chosen = Collections.newSetFromMap(new IdentityHashMap<>());
    Stream.concat(all.stream().filter(essential), all.stream().filter(essential.negate()))
        .limit(count)
        .forEach(chosen::add);
    return all.stream().filter(chosen::contains).toList();
  }

  /** What is said about the rows that are not kept; null where all are. */
  public @Nullable String others() {
    long count = rows.stream().filter(row -> !kept.test(row)).count();
    return count == 0 || more == null
        ? null
        : Numbers.count(count, "more " + more.noun()) + "; " + more.remedy() + ".";
  }

  /** What is said about the rows that do not. */
  public List<Sentence> leftOutRows() {
    return rows.stream()
        .filter(row -> skipped.apply(row) != null)
        .map(row -> Sentence.of("{} {}", name(row), Objects.requireNonNull(skipped.apply(row))))
        .toList();
  }

  public String name(R row) {
    return naming().text(row);
  }

  public Column<R> naming() {
    return readable().stream()
        .filter(column -> !column.isNumber())
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no column names a row of " + caption));
  }
}
