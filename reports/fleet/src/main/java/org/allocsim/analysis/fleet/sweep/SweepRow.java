package org.allocsim.analysis.fleet.sweep;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.allocsim.analysis.job.NamedJobs;
import org.allocsim.analysis.text.RowTable;
import org.jspecify.annotations.Nullable;

/**
 * One run of a sweep, or one file that could not be read: a value for every {@link SweepColumn}.
 */
public final class SweepRow {
  private static final List<SweepColumn> IDENTITY =
      List.of(
          SweepColumn.POLICY,
          SweepColumn.CONF,
          SweepColumn.OPTIONS,
          SweepColumn.TORCH_VERSION,
          SweepColumn.IS_RECORDED_CONF,
          SweepColumn.DEVICE,
          SweepColumn.CAPACITY_BYTES,
          SweepColumn.LIMIT_BYTES);

  private final Object[] values;

  private SweepRow(Object[] values) {
    this.values = values;
  }

  /** Collects the values of a row; columns that are not set have no value. */
  static final class Builder {
    private final Map<SweepColumn, Object> values = new EnumMap<>(SweepColumn.class);

    Builder set(SweepColumn column, @Nullable Object value) {
      values.put(column, value);
      return this;
    }

    /** As {@link SweepRow#identity()}. */
    List<Object> identity() {
      return build().identity();
    }

    Builder copy() {
      Builder copy = new Builder();
      copy.values.putAll(values);
      return copy;
    }

    SweepRow build() {
      Object[] row = new Object[SweepColumn.all().size()];
      for (SweepColumn column : SweepColumn.all()) {
        Object value = values.get(column);
        if (value == null && column.type() == RowTable.Type.TEXT) {
          value = "";
        }
        if (!column.takes(value)) {
          throw new IllegalArgumentException(column.label() + " cannot be " + value);
        }
        row[column.ordinal()] = value;
      }
      return new SweepRow(row);
    }
  }

  /**
   * A row from its cells in CSV.
   *
   * @throws IllegalArgumentException with the cause where they are no row
   */
  static SweepRow parse(List<String> cells) {
    if (cells.size() != SweepColumn.all().size()) {
      throw new IllegalArgumentException(
          "it has " + cells.size() + " cells instead of " + SweepColumn.all().size());
    }
    Object[] row = new Object[cells.size()];
    for (SweepColumn column : SweepColumn.all()) {
      String cell = cells.get(column.ordinal());
      try {
        row[column.ordinal()] = column.parse(cell);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "its " + column.label() + " cannot be '" + cell + "'", e);
      }
    }
    return new SweepRow(row);
  }

  /** A value; null where there is none. */
  public Object get(SweepColumn column) {
    return values[column.ordinal()];
  }

  /** A text; null where there is none. */
  public String text(SweepColumn column) {
    return (String) get(column);
  }

  /** A whole number of a column that has one here. */
  public long number(SweepColumn column) {
    return (Long) get(column);
  }

  /** Whether a column is true; false also where it has no value. */
  public boolean is(SweepColumn column) {
    return Boolean.TRUE.equals(get(column));
  }

  /** All values in the order of the columns. */
  Object[] cells() {
    return values.clone();
  }

  /** The same row with the rank of a job that its file is of. */
  SweepRow of(NamedJobs.Member member) {
    Object[] row = values.clone();
    row[SweepColumn.JOB.ordinal()] = member.job();
    row[SweepColumn.RANK.ordinal()] = (long) member.rank();
    row[SweepColumn.HOST.ordinal()] = member.host();
    return new SweepRow(row);
  }

  /** What distinguishes a run from others of the same trace. */
  List<Object> identity() {
    return IDENTITY.stream().map(this::get).toList();
  }

  /** Whether both rows have the same values but for the wall time. */
  public boolean isSameRun(SweepRow other) {
    for (SweepColumn column : SweepColumn.all()) {
      if (column.isReproducible() && !Objects.equals(get(column), other.get(column))) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SweepRow row && Arrays.equals(values, row.values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  @Override
  public String toString() {
    return Arrays.toString(values);
  }
}
