package org.allocsim.analysis.fleet;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.allocsim.analysis.fleet.sweep.SweepColumn;

/**
 * Lines of the table of a sweep, with a row for each of some short texts: file, conf, whether it is
 * the recorded one, MiB of the GPU, whether a request failed, and MiB reserved at the peak. Each
 * run asks for 10 MiB at its peak.
 */
public final class SweptRows {
  private static final long MIB = 1L << 20;

  private SweptRows() {}

  /** The lines, the first of which names the columns. */
  public static List<String> csv(String... rows) {
    return Stream.concat(
            Stream.of(line(SweepColumn::label)),
            Stream.of(rows).map(row -> row.split(",", -1)).map(SweptRows::row))
        .toList();
  }

  private static String row(String[] cells) {
    return line(column ->
        switch (column) {
          case FILE -> cells[0];
          case JOB -> jobOf(cells[0]);
          case RANK -> jobOf(cells[0]).isEmpty() ? "" : cells[0].replaceAll("\\D", "");
          case OUTCOME -> cells[4].equals("true") ? "oom" : "passed";
          case POLICY -> "pytorch";
          case CONF -> cells[1];
          case IS_RECORDED_CONF -> cells[2];
          case DEVICE -> "capacity";
          case CAPACITY_BYTES -> "" + Long.parseLong(cells[3]) * MIB;
          case OOM -> cells[4];
          case PEAK_RESERVED_BYTES -> "" + Long.parseLong(cells[5]) * MIB;
          case PEAK_REQUESTED_BYTES -> "" + 10 * MIB;
          case DRIVER_NANOS -> "1000";
          default -> "";
        });
  }

  private static String line(Function<SweepColumn, String> cell) {
    return SweepColumn.all().stream().map(cell).collect(Collectors.joining(","));
  }

  /** The folder of a rank; files that are called otherwise are of no job. */
  private static String jobOf(String file) {
    return file.contains("/rank") ? file.substring(0, file.indexOf('/')) : "";
  }
}
