package org.allocsim.reports.chart.comparison;

import java.util.ArrayList;
import java.util.List;

/** Which allocator runs a program on which device. */
public final class FrontierData {
  /** Devices that serve every row and are shown. */
  private static final int ALIKE = 5;

  private final List<Column> columns;
  private final List<Row> rows = new ArrayList<>();

  /**
   * A device.
   *
   * @param name of the GPU; empty for a device of that size
   * @param bytes what it has for the program
   */
  public record Column(String name, long bytes) {}

  /**
   * An allocator.
   *
   * @param fits for each device whether every request is served
   * @param smallestBytes the smallest device that serves all requests, −1 where none does
   */
  public record Row(String label, List<Boolean> fits, long smallestBytes) {}

  /** Devices by ascending size, and no allocator yet. */
  public FrontierData(List<Column> columns) {
    this.columns = List.copyOf(columns);
  }

  /** Appends an allocator. */
  public FrontierData add(String label, List<Boolean> fits, long smallestBytes) {
    if (fits.size() != columns.size()) {
      throw new IllegalArgumentException(
          fits.size() + " answers for " + columns.size() + " devices");
    }
    rows.add(new Row(label, List.copyOf(fits), smallestBytes));
    return this;
  }

  /**
   * The same with few devices: those that an answer changes at, the smallest first.
   *
   * @param most how many at most
   */
  public FrontierData steps(int most) {
    List<Integer> steps = new ArrayList<>();
    for (int column = 0; column < columns.size() && steps.size() < most; column++) {
      if (column == 0 || !answers(column).equals(answers(column - 1))) {
        steps.add(column);
      }
    }
    FrontierData few = new FrontierData(steps.stream().map(columns::get).toList());
    rows.forEach(row ->
        few.add(row.label(), steps.stream().map(row.fits()::get).toList(), row.smallestBytes()));
    return few;
  }

  private List<Boolean> answers(int column) {
    return rows.stream().map(row -> row.fits().get(column)).toList();
  }

  /** Devices that tell something: beyond those that serve every row, a few stand for the rest. */
  List<Column> columns() {
    return columns.subList(0, shown());
  }

  /** Larger devices, which serve every row like the last one of {@link #columns()}. */
  int skipped() {
    return columns.size() - shown();
  }

  private int shown() {
    int told = 0;
    for (int column = 0; column < columns.size(); column++) {
      int each = column;
      if (rows.stream().anyMatch(row -> !row.fits().get(each))) {
        told = column + 1;
      }
    }
    return Math.min(columns.size(), told + ALIKE);
  }

  /** Allocators with an answer for each of the {@link #columns()}. */
  List<Row> rows() {
    int shown = shown();
    return rows.stream()
        .map(row -> new Row(row.label(), row.fits().subList(0, shown), row.smallestBytes()))
        .toList();
  }
}
