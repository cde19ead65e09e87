package org.allocsim.analysis.text;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Writes comma-separated values as RFC 4180 has them, in UTF-8 with Unix line ends.
 *
 * <p>The elements of a list and the entries of a map stand in one cell, separated by semicolons.
 * Text that a spreadsheet would take for a formula gets an apostrophe before it, which {@link
 * #plain} removes; numbers stay numbers.
 */
public final class CsvText {
  /** With the apostrophes of texts that would look as if one had been added. */
  private static final Pattern FORMULA = Pattern.compile("'*[=+\\-@\t\r]");

  private static final Pattern NUMBER =
      Pattern.compile("[-+]?[0-9]{1,30}(\\.[0-9]{1,30})?([eE][-+]?[0-9]{1,3})?|-");

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

  /** The text that was written, from what a reader found in its cell. */
  public static String plain(String cell) {
    return cell.startsWith("'") && FORMULA.matcher(cell).lookingAt() ? cell.substring(1) : cell;
  }

  /** A value as it stands in its cell, in quotes where it needs them. */
  public static String cell(Object value) {
    String text = text(value);
    if (!(value instanceof Number)
        && FORMULA.matcher(text).lookingAt()
        && !NUMBER.matcher(text).matches()) {
      text = "'" + text;
    }
    boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  private static String text(Object value) {
    return switch (value) {
      case null -> "";
      case Double number when !Double.isFinite(number) -> "";
      case List<?> list -> list.stream().map(CsvText::text).collect(Collectors.joining(";"));
      case Map<?, ?> map ->
          map.entrySet().stream()
              .map(entry -> entry.getKey() + "=" + text(entry.getValue()))
              .collect(Collectors.joining(";"));
      default -> value.toString();
    };
  }
}
