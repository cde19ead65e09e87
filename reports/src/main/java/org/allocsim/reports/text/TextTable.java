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

  private static final int GAP = 2;

  /** The last column is not wrapped to fewer characters. */
  private static final int LEAST_WRAPPED = 14;

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

  /**
   * Prints a table that is no wider than {@code width} where that is possible: first columns are
   * left out, in the order of {@code expendable}, then the text of the last column is wrapped.
   * Numbers are never cut.
   *
   * @param expendable headings of columns that may be left out
   * @return headings of those that were
   */
  public List<String> printWithin(
      int width, PrintWriter out, String indent, List<String> expendable) {
    boolean[] hidden = new boolean[headings.length];
    List<String> left = new ArrayList<>();
    int last = headings.length - 1;
    int[] widths = widths();
    for (String heading : expendable) {
      int column = Arrays.asList(headings).indexOf(heading);
      if (column >= 0 && least(widths, hidden, indent.length()) > width) {
        hidden[column] = true;
        left.add(heading);
      }
    }
    int room = width - indent.length();
    for (int column = 0; column < last; column++) {
      room -= hidden[column] ? 0 : widths[column] + GAP;
    }
    boolean wraps = alignments[last] == Align.LEFT && widths[last] > room;
    int lastWidth = Math.max(Math.max(LEAST_WRAPPED, headings[last].length()), room);
    printVisible(out, indent, headings, widths, hidden);
    for (String[] row : rows) {
      List<String> lines = wraps ? wrapped(row[last], lastWidth) : List.of(row[last]);
      for (int line = 0; line < lines.size(); line++) {
        String[] cells = line == 0 ? row.clone() : blank();
        cells[last] = lines.get(line);
        printVisible(out, indent, cells, widths, hidden);
      }
    }
    return left;
  }

  private String[] blank() {
    String[] cells = new String[headings.length];
    Arrays.fill(cells, "");
    return cells;
  }

  /** Width with the last column wrapped as far as it may be. */
  private int least(int[] widths, boolean[] hidden, int indent) {
    int sum = indent - GAP;
    for (int column = 0; column < widths.length; column++) {
      boolean shrinks = column == widths.length - 1 && alignments[column] == Align.LEFT;
      int least =
          shrinks
              ? Math.min(widths[column], Math.max(LEAST_WRAPPED, headings[column].length()))
              : widths[column];
      sum += hidden[column] ? 0 : least + GAP;
    }
    return sum;
  }

  private static List<String> wrapped(String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ")) {
      if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }

  /** Prints all columns as a table of Markdown. */
  public void printMarkdown(PrintWriter out) {
    out.println(markdown(headings));
    StringBuilder rule = new StringBuilder("|");
    for (Align alignment : alignments) {
      rule.append(alignment == Align.RIGHT ? " --: |" : " --- |");
    }
    out.println(rule);
    for (String[] row : rows) {
      out.println(markdown(row));
    }
  }

  private static String markdown(String[] cells) {
    StringBuilder line = new StringBuilder("|");
    for (String cell : cells) {
      line.append(cell.isEmpty() ? " |" : " " + cell.replace("|", "\\|") + " |");
    }
    return line.toString();
  }

  /** Number of rows under the headings. */
  public int rowCount() {
    return rows.size();
  }

  /** Prints headings and rows, each line behind {@code indent}. */
  public void print(PrintWriter out, String indent) {
    int[] widths = widths();
    boolean[] hidden = new boolean[headings.length];
    printVisible(out, indent, headings, widths, hidden);
    for (String[] row : rows) {
      printVisible(out, indent, row, widths, hidden);
    }
  }

  private int[] widths() {
    int[] widths = new int[headings.length];
    for (int i = 0; i < headings.length; i++) {
      widths[i] = headings[i].length();
      for (String[] row : rows) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    return widths;
  }

  private void printVisible(
      PrintWriter out, String indent, String[] cells, int[] widths, boolean[] hidden) {
    StringBuilder line = new StringBuilder(indent);
    for (int i = 0; i < cells.length; i++) {
      if (!hidden[i]) {
        String padding = " ".repeat(Math.max(0, widths[i] - cells[i].length()));
        line.append(alignments[i] == Align.RIGHT ? padding + cells[i] : cells[i] + padding);
        line.append(" ".repeat(GAP));
      }
    }
    out.println(line.toString().stripTrailing());
  }
}
