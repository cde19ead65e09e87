package org.allocsim.reports.chart.comparison;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Quantities of named rows, each the sum of the same named parts. */
public final class BarData {
  private static final double FAR = 10;
  private static final double CUT = 5;

  /** Bars that are longer than the cut by less than this factor are not cut either. */
  private static final double NEAR = 1.3;

  private final List<String> parts;
  private final List<Row> rows = new ArrayList<>();
  private final Set<String> emphasised = new HashSet<>();

  /**
   * A row.
   *
   * @param label its name, unique
   * @param values one for each part
   * @param remark what stands after its sum, or nothing
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Row(String label, double[] values, String remark) {
    public double sum() {
      return Arrays.stream(values).sum();
    }
  }

  /** No rows yet. */
  public BarData(String... parts) {
    this.parts = List.of(parts);
  }

  /** Appends a row. */
  public BarData add(String label, String remark, double... values) {
    if (values.length != parts.size()) {
      throw new IllegalArgumentException(
          values.length + " values in a row of " + parts.size() + " parts");
    }
    for (double value : values) {
      if (!(value >= 0) || Double.isInfinite(value)) {
        throw new IllegalArgumentException(label + ": " + value + " is not a valid quantity");
      }
    }
    String unique = label;
    for (int number = 2; contains(unique); number++) {
      unique = label + " (" + number + ")";
    }
    rows.add(new Row(unique, values.clone(), remark));
    return this;
  }

  /** Lets the row that was added last stand out. */
  public BarData emphasise() {
    emphasised.add(rows.getLast().label());
    return this;
  }

  boolean isEmphasised(Row row) {
    return emphasised.contains(row.label());
  }

  private boolean contains(String label) {
    return rows.stream().anyMatch(row -> row.label().equals(label));
  }

  List<String> parts() {
    return parts;
  }

  public List<Row> rows() {
    return List.copyOf(rows);
  }

  /** Whether some row has something of a part. */
  boolean has(int part) {
    return rows.stream().anyMatch(row -> row.values()[part] > 0);
  }

  /**
   * Where bars are cut: a few that are far longer than most would leave nothing to see of the
   * others. Not below any bar where all are of similar length, nor below one that stands out, nor
   * just below the end of a bar.
   */
  public double cut() {
    double[] sums = rows.stream().mapToDouble(Row::sum).filter(sum -> sum > 0).sorted().toArray();
    if (sums.length == 0) {
      return 0;
    }
    double middle = sums[sums.length / 2];
    double top = sums[sums.length - 1];
    double emphasised =
        rows.stream().filter(this::isEmphasised).mapToDouble(Row::sum).max().orElse(0);
    if (top <= FAR * middle) {
      return top;
    }
    double cut = Math.max(CUT * middle, emphasised);
    for (double sum : sums) {
      cut = sum > cut && sum <= NEAR * cut ? sum : cut;
    }
    return cut;
  }

  /** What is drawn of a row. */
  double shown(Row row) {
    return Math.min(row.sum(), cut());
  }

  /** What is drawn of a row's part. */
  public double drawn(Row row, int part) {
    double before = 0;
    for (int i = 0; i < part; i++) {
      before += row.values()[i];
    }
    return Math.clamp(cut() - before, 0, row.values()[part]);
  }
}
