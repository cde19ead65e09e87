package org.allocsim.reports.text;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Writes comma-separated values as RFC 4180 has them, with Unix line ends. */
public final class CsvText {
  private final PrintWriter out;
  private final int columns;

  /** Starts with a line of headings, which carry the units. */
  public CsvText(PrintWriter out, String... headings) {
    this.out = out;
    columns = headings.length;
    row((Object[]) headings);
  }

  /** Writes a row; null and figures that are not numbers become empty cells. */
  public void row(Object... cells) {
    if (cells.length != columns) {
      throw new IllegalArgumentException(
          "a row of " + cells.length + " cells in a table of " + columns + " columns");
    }
    out.print(Arrays.stream(cells).map(CsvText::cell).collect(Collectors.joining(",")) + "\n");
  }

  private static String cell(Object value) {
    String text =
        switch (value) {
          case null -> "";
          case Double number when !Double.isFinite(number) -> "";
          default -> value.toString();
        };
    boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }
}
