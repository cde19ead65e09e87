package org.allocsim.reports.text;

import java.io.PrintWriter;

/** Prints sentences in lines that fit a terminal. */
public final class WrappedText {
  private static final int COLUMNS = 100;

  private WrappedText() {}

  /** Prints a list item: the first line behind {@code indent} and a dash, the others below it. */
  public static void printItem(PrintWriter out, String indent, String text) {
    print(out, indent + "- ", indent + "  ", text);
  }

  /** Prints text whose first line stands behind {@code first}, the others behind {@code other}. */
  public static void print(PrintWriter out, String first, String other, String text) {
    StringBuilder line = new StringBuilder(first);
    int bare = line.length();
    for (String word : text.split(" ")) {
      if (line.length() > bare && line.length() + 1 + word.length() > COLUMNS) {
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
