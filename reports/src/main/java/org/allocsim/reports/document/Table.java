package org.allocsim.reports.document;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Subjects of one shape, a row each. The first column that has a label names a row.
 *
 * @param <R> a row
 * @param caption what the table shows
 * @param shape the columns
 * @param rows the rows in their order
 * @param leftOut why people find a row below the table, in a sentence, and not in it: continues the
 *     row's name; null for rows of the table
 * @param pointer where the rows stand in the JSON of the document, as a JSON Pointer; null where
 *     they do not
 */
public record Table<R>(
    String caption,
    Shape<R> shape,
    List<R> rows,
    Function<? super R, String> leftOut,
    String pointer)
    implements Block {
  /** Keeps its own copy of the rows. */
  public Table {
    rows = List.copyOf(rows);
  }

  /** A table in which every row is shown. */
  public static <R> Table<R> of(String caption, Shape<R> shape, List<? extends R> rows) {
    return new Table<>(caption, shape, List.copyOf(rows), _ -> null, null);
  }

  /** The same table, of which some rows are left out for a reason. */
  public Table<R> leavingOut(Function<? super R, String> reason) {
    return new Table<>(caption, shape, rows, reason, pointer);
  }

  /** The same table, whose rows stand at this place of the JSON. */
  public Table<R> at(String jsonPointer) {
    return new Table<>(caption, shape, rows, leftOut, jsonPointer);
  }

  /** The columns that people see. */
  public List<Column<R>> readable() {
    return shape.columns().stream()
        .filter(column -> column.label() != null)
        .filter(column -> !column.isOptional() || rows.stream().anyMatch(row -> has(column, row)))
        .toList();
  }

  private boolean has(Column<R> column, R row) {
    return leftOut.apply(row) == null && column.value(row) != null;
  }

  /** The rows that stand in the table. */
  public List<R> shown() {
    return rows.stream().filter(row -> leftOut.apply(row) == null).toList();
  }

  /** What is said about the rows that do not. */
  public List<Sentence> leftOutRows() {
    return rows.stream()
        .filter(row -> leftOut.apply(row) != null)
        .map(row -> Sentence.of("{} {}", name(row), Objects.requireNonNull(leftOut.apply(row))))
        .toList();
  }

  /** The name of a row. */
  public String name(R row) {
    return readable().getFirst().text(row);
  }
}
