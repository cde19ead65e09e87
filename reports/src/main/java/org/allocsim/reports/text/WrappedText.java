package org.allocsim.reports.text;

import java.io.PrintWriter;

/** Prints sentences in lines of at most 100 characters that fit the terminal. */
public final class WrappedText {
  private WrappedText() {}

  /** Prints a list item: the first line after {@code indent} and a dash, the others below it. */
  public static void printItem(PrintWriter out, String indent, String text) {
    print(out, indent + "- ", indent + "  ", text);
  }

  /** Prints a line of a heading, text after a label: one line, unless the terminal is narrower. */
  public static void printField(PrintWriter out, String label, String text) {
    print(out, label, " ".repeat(label.length()), text, TerminalWriter.columns(out));
  }

  /** Prints a sentence: one line, unless the terminal is narrower. */
  public static void printLine(PrintWriter out, String text) {
    print(out, "", "  ", text, TerminalWriter.columns(out));
  }

  /** Prints text whose first line stands after {@code first}, the others after {@code other}. */
  public static void print(PrintWriter out, String first, String other, String text) {
    print(out, first, other, text, TerminalWriter.sentenceColumns(out));
  }

  private static void print(PrintWriter out, String first, String other, String text, int columns) {
    StringBuilder line = new StringBuilder(first);
    int bare = line.length();
    for (String word : LineBreaks.words(VisibleText.of(text))) {
      if (line.length() > bare && line.length() + 1 + word.length() > columns) {
        out.println(line);
        line.setLength(0);
        line.append(other);
        bare = line.length();
      }
      if (line.length() > bare) {
        line.append(' ');
      }
      line.append(word);
    }
    out.println(line);
  }
}
