package org.allocsim.reports.text;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A table of text with aligned columns, two spaces apart, under a line of headings. */
public final class TextTable {
  /** Where the text of a column stands. */
  public enum Align {
    /** Text. */
    LEFT,
    /** Numbers. */
    RIGHT
  }

  private final String[] headings;
  private final Align[] alignments;
  private final List<String[]> rows = new ArrayList<>();

  private TextTable(String[] headings, Align[] alignments) {
    this.headings = headings;
    this.alignments = alignments;
  }

  /** A table whose headings tell the alignment: a leading {@code >} means right. */
  public static TextTable of(String... headings) {
    Align[] alignments = new Align[headings.length];
    String[] names = new String[headings.length];
    for (int i = 0; i < headings.length; i++) {
      boolean right = headings[i].startsWith(">");
      alignments[i] = right ? Align.RIGHT : Align.LEFT;
      names[i] = right ? headings[i].substring(1) : headings[i];
    }
    return new TextTable(names, alignments);
  }

  /** Appends a row; it has one cell for every heading. */
  public TextTable row(Object... cells) {
    if (cells.length != headings.length) {
      throw new IllegalArgumentException(
          "a row of " + cells.length + " cells in a table of " + headings.length + " columns");
    }
    rows.add(Arrays.stream(cells).map(String::valueOf).toArray(String[]::new));
    return this;
  }

  /** Number of rows under the headings. */
  public int rowCount() {
    return rows.size();
  }

  /** Prints headings and rows, each line behind {@code indent}. */
  public void print(PrintWriter out, String indent) {
    int[] widths = new int[headings.length];
    for (int i = 0; i < headings.length; i++) {
      widths[i] = headings[i].length();
      for (String[] row : rows) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    printLine(out, indent, headings, widths);
    for (String[] row : rows) {
      printLine(out, indent, row, widths);
    }
  }

  private void printLine(PrintWriter out, String indent, String[] cells, int[] widths) {
    StringBuilder line = new StringBuilder(indent);
    for (int i = 0; i < cells.length; i++) {
      String padding = " ".repeat(widths[i] - cells[i].length());
      line.append(alignments[i] == Align.RIGHT ? padding + cells[i] : cells[i] + padding);
      line.append("  ");
    }
    out.println(line.toString().stripTrailing());
  }
}
