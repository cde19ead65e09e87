package org.allocsim.reports.document;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What there is to say about a subject, described once: every renderer, the schema of the JSON and
 * the tables of the documentation are made of it.
 *
 * @param <R> the subject
 * @param columns its quantities in their order
 */
public record Shape<R>(List<Column<R>> columns) {
  /** Refuses two quantities of one name. */
  public Shape {
    columns = List.copyOf(columns);
    Set<String> keys = new HashSet<>();
    for (Column<R> column : columns) {
      if (column.key() != null && !keys.add(column.key())) {
        throw new IllegalArgumentException("two columns have the key " + column.key());
      }
    }
  }

  /** A shape; each line of the description adds a column. */
  public static <R> Shape<R> of(Consumer<Builder<R>> description) {
    Builder<R> builder = new Builder<>();
    description.accept(builder);
    return new Shape<>(builder.columns);
  }

  /** The columns that programs read. */
  public List<Column<R>> keyed() {
    return columns.stream().filter(column -> column.key() != null).toList();
  }

  /** The same with more columns after its own. */
  public Shape<R> and(Consumer<Builder<R>> more) {
    return of(builder -> {
      builder.columns.addAll(columns);
      more.accept(builder);
    });
  }

  /**
   * Collects columns. The methods without a label add what only programs read; {@link #rank},
   * {@link #optional}, {@link #missing} and {@link #worded} are about the column before them.
   */
  public static final class Builder<R> {
    private final List<Column<R>> columns = new ArrayList<>();

    private Builder() {}

    private Builder<R> add(
        @Nullable String key,
        @Nullable String label,
        String explanation,
        Type type,
        Function<? super R, ? extends @Nullable Object> value) {
      columns.add(new Column<>(key, label, explanation, type, null, 0, false, value, null));
      return this;
    }

    private Builder<R> scalar(
        Unit unit,
        String key,
        @Nullable String label,
        String explanation,
        Function<? super R, ? extends @Nullable Object> value) {
      unit.requireKey(key);
      return add(key, label, explanation, new Type.Scalar(unit), value);
    }

    /** A quantity that has one name and one explanation wherever it stands. */
    public Builder<R> term(
        Term term, @Nullable String label, Function<? super R, ? extends @Nullable Object> value) {
      return add(term.key(), label, term.explanation(), new Type.Scalar(term.unit()), value);
    }

    /** Such a quantity, for programs only. */
    public Builder<R> term(Term term, Function<? super R, ? extends @Nullable Object> value) {
      return term(term, null, value);
    }

    public Builder<R> bytes(
        String key,
        @Nullable String label,
        String explanation,
        Function<? super R, ? extends @Nullable Number> value) {
      return scalar(Unit.BYTES, key, label, explanation, value);
    }

    /** Bytes, for programs only. */
    public Builder<R> bytes(
        String key, String explanation, Function<? super R, ? extends @Nullable Number> value) {
      return bytes(key, null, explanation, value);
    }

    public Builder<R> meanBytes(
        String key,
        @Nullable String label,
        String explanation,
        Function<? super R, @Nullable Double> value) {
      return scalar(Unit.MEAN_BYTES, key, label, explanation, value);
    }

    /** A number of things. */
    public Builder<R> count(
        String key,
        @Nullable String label,
        String explanation,
        Function<? super R, ? extends @Nullable Number> value) {
      return scalar(Unit.COUNT, key, label, explanation, value);
    }

    /** A number of things, for programs only. */
    public Builder<R> count(
        String key, String explanation, Function<? super R, ? extends @Nullable Number> value) {
      return count(key, null, explanation, value);
    }

    public Builder<R> seconds(
        String key,
        @Nullable String label,
        String explanation,
        Function<? super R, @Nullable Double> value) {
      return scalar(Unit.SECONDS, key, label, explanation, value);
    }

    /** Seconds, for programs only. */
    public Builder<R> seconds(
        String key, String explanation, Function<? super R, @Nullable Double> value) {
      return seconds(key, null, explanation, value);
    }

    /** Nanoseconds. */
    public Builder<R> nanos(
        String key,
        @Nullable String label,
        String explanation,
        Function<? super R, ? extends @Nullable Number> value) {
      return scalar(Unit.NANOS, key, label, explanation, value);
    }

    /** Nanoseconds, for programs only. */
    public Builder<R> nanos(
        String key, String explanation, Function<? super R, ? extends @Nullable Number> value) {
      return nanos(key, null, explanation, value);
    }

    public Builder<R> ratio(
        String key,
        @Nullable String label,
        String explanation,
        Function<? super R, @Nullable Double> value) {
      return scalar(Unit.RATIO, key, label, explanation, value);
    }

    /** A ratio, for programs only. */
    public Builder<R> ratio(
        String key, String explanation, Function<? super R, @Nullable Double> value) {
      return ratio(key, null, explanation, value);
    }

    /** A figure in no unit that others have; its explanation says what it counts. */
    public Builder<R> number(
        String key,
        @Nullable String label,
        String explanation,
        Function<? super R, @Nullable Double> value) {
      return scalar(Unit.NUMBER, key, label, explanation, value);
    }

    /** Such a figure, for programs only. */
    public Builder<R> number(
        String key, String explanation, Function<? super R, @Nullable Double> value) {
      return number(key, null, explanation, value);
    }

    /** Things a second. */
    public Builder<R> rate(
        String key,
        @Nullable String label,
        String explanation,
        Function<? super R, ? extends @Nullable Number> value) {
      return scalar(Unit.RATE, key, label, explanation, value);
    }

    /** Yes or no. */
    public Builder<R> flag(
        String key,
        @Nullable String label,
        String explanation,
        Function<? super R, @Nullable Boolean> value) {
      return scalar(Unit.FLAG, key, label, explanation, value);
    }

    /** Yes or no, for programs only. */
    public Builder<R> flag(
        String key, String explanation, Function<? super R, @Nullable Boolean> value) {
      return flag(key, null, explanation, value);
    }

    /** Words. */
    public Builder<R> text(
        String key,
        @Nullable String label,
        String explanation,
        Function<? super R, @Nullable String> value) {
      return scalar(Unit.TEXT, key, label, explanation, value);
    }

    /** Words, for programs only. */
    public Builder<R> text(
        String key, String explanation, Function<? super R, @Nullable String> value) {
      return text(key, null, explanation, value);
    }

    /** Words, any number of them. */
    public Builder<R> texts(
        String key,
        @Nullable String label,
        String explanation,
        Function<? super R, ? extends @Nullable List<String>> value) {
      return add(key, label, explanation, new Type.Series(Unit.TEXT), value);
    }

    /** Words, any number of them, for programs only. */
    public Builder<R> texts(
        String key,
        String explanation,
        Function<? super R, ? extends @Nullable List<String>> value) {
      return texts(key, null, explanation, value);
    }

    /** What may have any type, for programs only. */
    public Builder<R> any(
        String key, String explanation, Function<? super R, ? extends @Nullable Object> value) {
      return scalar(Unit.ANY, key, null, explanation, value);
    }

    /** Quantities of one unit, any number of them, for programs only. */
    public Builder<R> series(
        Unit unit,
        String key,
        String explanation,
        Function<? super R, ? extends @Nullable List<?>> value) {
      unit.requireKey(key);
      return add(key, null, explanation, new Type.Series(unit), value);
    }

    /**
     * Quantities under names that depend on the data.
     *
     * @param meaning what one of them is
     */
    public Builder<R> named(
        Unit unit,
        String key,
        String explanation,
        String meaning,
        Function<? super R, ? extends @Nullable Map<String, ?>> value) {
      return add(key, null, explanation, new Type.Named(new Type.Scalar(unit), meaning), value);
    }

    /** Parts with a shape of their own, under names that depend on the data. */
    public <P> Builder<R> named(
        Shape<P> shape,
        String key,
        String explanation,
        String meaning,
        Function<? super R, ? extends @Nullable Map<String, ? extends P>> value) {
      return add(key, null, explanation, new Type.Named(new Type.Single(shape), meaning), value);
    }

    /** A part with a shape of its own. */
    public <P> Builder<R> one(
        String key,
        String explanation,
        Shape<P> shape,
        Function<? super R, ? extends @Nullable P> value) {
      return add(key, null, explanation, new Type.Single(shape), value);
    }

    /** Parts with a shape of their own. */
    public <P> Builder<R> many(
        String key,
        String explanation,
        Shape<P> shape,
        Function<? super R, ? extends @Nullable List<? extends P>> value) {
      return add(key, null, explanation, new Type.Many(shape), value);
    }

    /**
     * What only people read.
     *
     * @param unit how it is written and aligned
     * @param value a quantity of the unit, or the text that stands for one
     */
    public Builder<R> shown(
        Unit unit,
        String label,
        String explanation,
        Function<? super R, ? extends @Nullable Object> value) {
      return add(null, label, explanation, new Type.Scalar(unit), value);
    }

    /** More columns of the same subject. */
    public Builder<R> embed(Shape<R> shape) {
      columns.addAll(shape.columns);
      return this;
    }

    /** Columns of a part, as if they were those of the subject. */
    public <P> Builder<R> embed(Shape<P> shape, Function<? super R, ? extends P> part) {
      for (Column<P> each : shape.columns) {
        columns.add(
            each.as(
                each.missing(),
                each.rank(),
                each.isOptional(),
                row -> each.value(part.apply(row)),
                each.isWorded() ? row -> each.text(part.apply(row)) : null));
      }
      return this;
    }

    /**
     * Columns that only some subjects have.
     *
     * @param has whether a subject has them
     * @param without continues "null where …"
     */
    public Builder<R> where(Predicate<? super R> has, String without, Shape<R> shape) {
      for (Column<R> each : shape.columns) {
        columns.add(
            each.as(
                each.missing() == null ? without : without + " or " + each.missing(),
                each.rank(),
                each.isOptional(),
                row -> has.test(row) ? each.value(row) : null,
                each.text()));
      }
      return this;
    }

    /** A narrow terminal leaves the column out, the highest rank first. */
    public Builder<R> rank(int rank) {
      Column<R> last = columns.removeLast();
      return put(last, last.missing(), rank, last.isOptional(), last.text());
    }

    /** People do not see the column where no row has it. */
    public Builder<R> optional() {
      Column<R> last = columns.removeLast();
      return put(last, last.missing(), last.rank(), true, last.text());
    }

    /** The column may be missing; {@code where} continues "null where …". */
    public Builder<R> missing(String where) {
      Column<R> last = columns.removeLast();
      return put(last, where, last.rank(), last.isOptional(), last.text());
    }

    /** People read words instead of the value. */
    public Builder<R> worded(Function<? super R, ?> text) {
      Column<R> last = columns.removeLast();
      return put(last, last.missing(), last.rank(), last.isOptional(), text);
    }

    private Builder<R> put(
        Column<R> last,
        @Nullable String missing,
        int rank,
        boolean isOptional,
        @Nullable Function<? super R, ?> text) {
      columns.add(last.as(missing, rank, isOptional, last.value(), text));
      return this;
    }
  }
}
