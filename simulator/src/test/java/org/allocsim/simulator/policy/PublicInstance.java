package org.allocsim.simulator.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;

/**
 * Lifetimes and sizes that others have published: CSV files with the header {@code
 * id,lower,upper,size} in the folder that {@code -Dallocsim.instances} names. They are not part of
 * this project; tests without them are left out.
 */
public final class PublicInstance {
  private static final String FOLDER = System.getProperty("allocsim.instances", "");

  /** A row: it is live from {@code lower} until before {@code upper}. */
  private record Row(int number, long lower, long upper, long size) {}

  private record Event(long time, boolean isFree, Row row) {}

  private PublicInstance() {}

  /**
   * An instance as requests of one stream, ordered by time, frees first, then by row.
   *
   * @param sizeFactor multiplies all sizes
   */
  public static AllocationTrace trace(String name, long sizeFactor) {
    assumeTrue(!FOLDER.isEmpty(), "left out: -Dallocsim.instances names no folder of instances");
    List<Event> events = new ArrayList<>();
    for (Row row : rows(Path.of(FOLDER, name + ".csv"))) {
      events.add(new Event(row.lower, false, row));
      events.add(new Event(row.upper, true, row));
    }
    events.sort(
        Comparator.comparingLong(Event::time)
            .thenComparing(event -> !event.isFree)
            .thenComparingInt(event -> event.row.number));
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    int[] ids = new int[events.size()];
    for (Event event : events) {
      trace.at(0, event.time, 0);
      if (event.isFree) {
        trace.free(ids[event.row.number]);
      } else {
        ids[event.row.number] = trace.allocate(event.row.size * sizeFactor, 0, PoolId.DEFAULT);
      }
    }
    return RandomTraces.build(trace);
  }

  private static List<Row> rows(Path file) {
    try {
      List<String> lines = Files.readAllLines(file);
      assertEquals("id,lower,upper,size", lines.getFirst());
      List<Row> rows = new ArrayList<>();
      for (String line : lines.subList(1, lines.size())) {
        String[] cells = line.split(",");
        rows.add(
            new Row(
                rows.size(),
                Long.parseLong(cells[1]),
                Long.parseLong(cells[2]),
                Long.parseLong(cells[3].strip())));
      }
      return rows;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
