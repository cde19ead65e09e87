package org.allocsim.workloads.format.minimalloc;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Which column of a file holds what. */
final class MiniMallocHeader {
  static final String ID = "id";
  static final String LOWER = "lower";
  static final String UPPER = "upper";
  static final String SIZE = "size";
  static final String GAPS = "gaps";

  /** The last time at which a buffer lives, in place of {@link #UPPER}. */
  private static final String END = "end";

  private static final List<String> REQUIRED = List.of(ID, LOWER, UPPER, SIZE);

  private static final Map<String, String> ALIASES =
      Map.of("buffer", ID, "buffer_id", ID, "begin", LOWER, "start", LOWER, END, UPPER);

  private final List<String> columns = new ArrayList<>();
  private final boolean inclusive;

  private MiniMallocHeader(String line) {
    boolean hasEnd = false;
    for (String field : line.split(",", -1)) {
      String name = field.strip();
      hasEnd |= name.equals(END);
      columns.add(ALIASES.getOrDefault(name, name));
    }
    inclusive = hasEnd;
  }

  /** Whether a line is a header of this format. */
  static boolean isHeader(String line) {
    return new MiniMallocHeader(line).columns.containsAll(REQUIRED);
  }

  /**
   * Reads a header.
   *
   * @throws IllegalArgumentException with the cause where it is none
   */
  static MiniMallocHeader of(String line) {
    MiniMallocHeader header = new MiniMallocHeader(line);
    for (String name : REQUIRED) {
      if (!header.columns.contains(name)) {
        throw new IllegalArgumentException("the header has no column \"" + name + "\"");
      }
    }
    for (String name : header.columns) {
      if (header.columns.indexOf(name) != header.columns.lastIndexOf(name)) {
        throw new IllegalArgumentException("the header has column \"" + name + "\" twice");
      }
    }
    return header;
  }

  /** Names of the columns, aliases replaced. */
  List<String> columns() {
    return columns;
  }

  /** Index of a column, −1 where there is none. */
  int index(String name) {
    return columns.indexOf(name);
  }

  /** What turns a written end into the first time at which a buffer lives no longer. */
  int afterEnd() {
    return inclusive ? 1 : 0;
  }
}
