package org.allocsim.reports.document;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One quantity of a subject: a column where many subjects stand in a table, a key of their objects
 * in JSON.
 *
 * @param <R> the subject, one row of a table
 * @param key its name in JSON and CSV, which ends in the unit; null for what only people read
 * @param label its name for people; null for what only programs read
 * @param explanation what it means, one sentence
 * @param type what its values are
 * @param missing why it may be missing, which continues "null where …"; null where it never is
 * @param rank how soon a narrow terminal leaves it out, the highest rank first; never at 0
 * @param isOptional whether people do not see it where no row has it
 * @param value takes it from the subject; null where it is missing
 * @param text what people read instead of the value, text or a {@link Sentence}; null for the value
 */
public record Column<R>(
    @Nullable String key,
    @Nullable String label,
    String explanation,
    Type type,
    @Nullable String missing,
    int rank,
    boolean isOptional,
    Function<? super R, ? extends @Nullable Object> value,
    @Nullable Function<? super R, ?> text) {

  /** A column that has its key, label, explanation and type. */
  <T> Column<T> as(
      @Nullable String whereMissing,
      int newRank,
      boolean optional,
      Function<? super T, ? extends @Nullable Object> newValue,
      @Nullable Function<? super T, ?> newText) {
    return new Column<>(
        key, label, explanation, type, whereMissing, newRank, optional, newValue, newText);
  }

  /** What kind of quantity it is; objects and lists have none. */
  public @Nullable Unit unit() {
    return type instanceof Type.Scalar(Unit unit) ? unit : null;
  }

  /** The key; the label where only people read it. */
  public String name() {
    return key != null
        ? key
        : Objects.requireNonNull(label, "the label of something without a" + " key");
  }

  /** The label; the key where only programs read it. */
  public String heading() {
    return label != null
        ? label
        : Objects.requireNonNull(key, "the key of something without a" + " label");
  }

  /** Whether people read numbers in it. */
  public boolean isNumber() {
    return text == null && unit() != null && unit().isNumber();
  }

  /** Whether people read words instead of the value itself. */
  public boolean isWorded() {
    return text != null || unit() == null;
  }

  /** Whether its value fits a cell of CSV. */
  public boolean isFlat() {
    Type each = type instanceof Type.Named(var of, _) ? of : type;
    return each instanceof Type.Scalar || each instanceof Type.Series;
  }

  /** The value as a program reads it; null where it is missing or no finite number. */
  public @Nullable Object value(R row) {
    Object found = value.apply(row);
    return found instanceof Double number && !Double.isFinite(number) ? null : found;
  }

  /** The value as people read it. */
  public String text(R row) {
    if (text != null) {
      return String.valueOf(text.apply(row));
    }
    Object value = value(row);
    return type instanceof Type.Series(var unit) && value instanceof List<?> series
        ? series.stream().map(unit::text).collect(Collectors.joining(", "))
        : Objects.requireNonNull(unit(), "the unit of something without a label").text(value);
  }
}
