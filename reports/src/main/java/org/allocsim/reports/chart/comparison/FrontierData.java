package org.allocsim.reports.chart.comparison;

import java.util.ArrayList;
import java.util.List;

/** Which allocator runs a program on which device. */
public final class FrontierData {
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

  List<Column> columns() {
    return columns;
  }

  List<Row> rows() {
    return List.copyOf(rows);
  }
}
