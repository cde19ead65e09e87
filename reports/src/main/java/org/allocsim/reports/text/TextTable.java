package org.allocsim.reports.text;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A table of text with aligned columns, two spaces apart, under a line of headings.
 *
 * <p>Printed to a {@link TerminalWriter} it fits the line: headings take several lines, text is
 * wrapped between its words, then the columns that {@link #expendable} names are left out one after
 * the other, and if even that is not enough, long words are broken. Numbers are never cut. Anything
 * else gets every row on one line.
 */
public final class TextTable {
  /** Where the text of a column stands. */
  private enum Align {
    /** Text. */
    LEFT,
    /** Numbers. */
    RIGHT
  }

  private static final int GAP = 2;

  /** Text is not wrapped to fewer characters, unless all of it is shorter. */
  private static final int MIN_WRAPPED = 12;

  /** A column is not kept this wide for the sake of one long word. */
  private static final int LONG_WORD = 28;

  private final String[] headings;
  private final Align[] alignments;
  private final int[] wanted;
  private final List<String[]> rows = new ArrayList<>();

  /** Headings above rows, by the row's number. */
  private final Map<Integer, String> groups = new HashMap<>();

  private final List<String> expendable = new ArrayList<>();
  private String whereAll = "";
  private boolean isCompact;

  private TextTable(String[] headings, Align[] alignments) {
    this.headings = headings;
    this.alignments = alignments;
    wanted = new int[headings.length];
    Arrays.fill(wanted, MIN_WRAPPED);
  }

  /** A table whose headings give the alignment: a leading {@code >} means right. */
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

  /**
   * Names columns that short lines may do without; a sentence below the table then names them.
   *
   * @param remedy ends the sentence: where these columns can be had
   * @param columns their headings, the first to go first; those that the table lacks do not matter
   */
  public TextTable expendable(String remedy, List<String> columns) {
    whereAll = remedy;
    expendable.addAll(columns);
    return this;
  }

  /** Expendable columns go before text is wrapped, and nobody is told. */
  public TextTable compact() {
    isCompact = true;
    return this;
  }

  /** Text in a column is not wrapped to fewer characters than these while others can give way. */
  public TextTable atLeast(String heading, int width) {
    wanted[Arrays.asList(headings).indexOf(heading)] = width;
    return this;
  }

  /** Appends a row; it has one cell for every heading, and each stays a line. */
  public TextTable row(Object... cells) {
    if (cells.length != headings.length) {
      throw new IllegalArgumentException(
          "a row of " + cells.length + " cells in a table of " + headings.length + " columns");
    }
    rows.add(Arrays.stream(cells).map(String::valueOf).map(VisibleText::of).toArray(String[]::new));
    return this;
  }

  /** Puts a heading above the rows that follow, up to the next one. */
  public TextTable heading(String text) {
    groups.put(rows.size(), VisibleText.of(text));
    return this;
  }

  /** Prints headings and rows, each line after {@code indent}. */
  public void print(PrintWriter out, String indent) {
    int room = TerminalWriter.columns(out) - indent.length();
    boolean[] hidden = new boolean[headings.length];
    int[] widths = natural();
    List<String> left = new ArrayList<>();
    if (sum(widths, hidden) > room) {
      int[] minimum = minimum(widths);
      for (String heading : expendable) {
        int column = Arrays.asList(headings).indexOf(heading);
        if (column >= 0 && sum(isCompact ? widths : minimum, hidden) > room) {
          hidden[column] = true;
          left.add(heading);
        }
      }
      if (sum(minimum, hidden) > room) {
        minimum = narrowest(minimum);
      }
      if (sum(widths, hidden) > room) {
        widths = shared(widths, minimum, hidden, room);
      }
    }
    printHeadings(out, indent, widths, hidden);
    for (int i = 0; i < rows.size(); i++) {
      if (groups.containsKey(i)) {
        WrappedText.print(out, indent, indent, groups.get(i) + ":");
      }
      printRow(out, indent, rows.get(i), widths, hidden);
    }
    if (!left.isEmpty() && !isCompact) {
      WrappedText.print(
          out, "", "", "Too wide for a line: " + String.join(", ", left) + "; " + whereAll + ".");
    }
  }

  /** Prints all columns as a table of Markdown. */
  public void printMarkdown(PrintWriter out) {
    out.println(markdown(headings));
    StringBuilder rule = new StringBuilder("|");
    for (Align alignment : alignments) {
      rule.append(alignment == Align.RIGHT ? " --: |" : " --- |");
    }
    out.println(rule);
    for (int i = 0; i < rows.size(); i++) {
      if (groups.containsKey(i)) {
        out.println("| *" + MarkdownText.cell(groups.get(i)) + "*" + " |".repeat(headings.length));
      }
      out.println(markdown(rows.get(i)));
    }
  }

  private static String markdown(String[] cells) {
    StringBuilder line = new StringBuilder("|");
    for (String cell : cells) {
      line.append(cell.isEmpty() ? " |" : " " + MarkdownText.cell(cell) + " |");
    }
    return line.toString();
  }

  /** Widths with which nothing is wrapped. */
  private int[] natural() {
    int[] widths = new int[headings.length];
    for (int i = 0; i < headings.length; i++) {
      widths[i] = headings[i].length();
      for (String[] row : rows) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    return widths;
  }

  /** Widths below which words would have to be broken, or more where that is asked for. */
  private int[] minimum(int[] natural) {
    int[] widths = new int[headings.length];
    for (int i = 0; i < headings.length; i++) {
      int cells = 0;
      for (String[] row : rows) {
        boolean whole = alignments[i] == Align.RIGHT;
        int length = whole ? row[i].length() : LineBreaks.longestWord(row[i]);
        cells = Math.max(cells, whole ? length : Math.min(LONG_WORD, length));
      }
      if (alignments[i] == Align.LEFT) {
        cells = Math.max(cells, wanted[i]);
      }
      widths[i] = Math.min(natural[i], Math.max(cells, LineBreaks.longestWord(headings[i])));
    }
    return widths;
  }

  /** Widths with which words are broken too. */
  private int[] narrowest(int[] minimum) {
    int[] widths = minimum.clone();
    for (int i = 0; i < headings.length; i++) {
      if (alignments[i] == Align.LEFT) {
        int heading = LineBreaks.longestWord(headings[i]);
        widths[i] = Math.min(minimum[i], Math.max(heading, MIN_WRAPPED));
      }
    }
    return widths;
  }

  /** Widths between the two such that the line is full: cells first, then headings. */
  private int[] shared(int[] natural, int[] minimum, boolean[] hidden, int room) {
    int[] cells = new int[headings.length];
    for (int i = 0; i < cells.length; i++) {
      for (String[] row : rows) {
        cells[i] = Math.max(cells[i], row[i].length());
      }
    }
    int[] widths = minimum.clone();
    grow(widths, cells, hidden, room);
    grow(widths, natural, hidden, room);
    return widths;
  }

  /** Widens the narrowest columns first, none beyond {@code maximum}. */
  private static void grow(int[] widths, int[] maximum, boolean[] hidden, int room) {
    boolean grows = true;
    while (grows && sum(widths, hidden) < room) {
      int narrowest = -1;
      for (int i = 0; i < widths.length; i++) {
        boolean may = !hidden[i] && widths[i] < maximum[i];
        if (may && (narrowest < 0 || widths[i] < widths[narrowest])) {
          narrowest = i;
        }
      }
      grows = narrowest >= 0;
      if (grows) {
        widths[narrowest]++;
      }
    }
  }

  private static int sum(int[] widths, boolean[] hidden) {
    int sum = -GAP;
    for (int i = 0; i < widths.length; i++) {
      sum += hidden[i] ? 0 : widths[i] + GAP;
    }
    return sum;
  }

  /** Headings of several lines end on the same line. */
  private void printHeadings(PrintWriter out, String indent, int[] widths, boolean[] hidden) {
    List<List<String>> lines = new ArrayList<>();
    int height = 1;
    for (int i = 0; i < headings.length; i++) {
      List<String> of = hidden[i] ? List.of("") : LineBreaks.of(headings[i], widths[i]);
      lines.add(of);
      height = Math.max(height, of.size());
    }
    for (int line = 0; line < height; line++) {
      String[] cells = new String[headings.length];
      for (int i = 0; i < cells.length; i++) {
        List<String> of = lines.get(i);
        int at = line - (height - of.size());
        cells[i] = at < 0 ? "" : of.get(at);
      }
      printLine(out, indent, cells, widths, hidden);
    }
  }

  private void printRow(
      PrintWriter out, String indent, String[] row, int[] widths, boolean[] hidden) {
    List<List<String>> lines = new ArrayList<>();
    int height = 1;
    for (int i = 0; i < row.length; i++) {
      boolean fits = hidden[i] || row[i].length() <= widths[i];
      List<String> of = fits ? List.of(row[i]) : LineBreaks.of(row[i], widths[i]);
      lines.add(of);
      height = Math.max(height, of.size());
    }
    for (int line = 0; line < height; line++) {
      String[] cells = new String[row.length];
      for (int i = 0; i < cells.length; i++) {
        cells[i] = line < lines.get(i).size() ? lines.get(i).get(line) : "";
      }
      printLine(out, indent, cells, widths, hidden);
    }
  }

  private void printLine(
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
