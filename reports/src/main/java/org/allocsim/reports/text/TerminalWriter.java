package org.allocsim.reports.text;

import java.io.PrintWriter;
import java.io.Writer;

/** A writer to lines of a known width: tables and sentences printed to it fit. */
public final class TerminalWriter extends PrintWriter {
  /** Sentences in longer lines are hard to read. */
  private static final int MAX_SENTENCE_COLUMNS = 100;

  private final int columns;

  /**
   * Writes through to another writer.
   *
   * @param columns characters of a line, {@link Integer#MAX_VALUE} where there is no limit
   */
  public TerminalWriter(Writer out, int columns) {
    super(out);
    this.columns = columns;
  }

  /** Whether lines have a known width: somebody reads them on a screen. */
  public static boolean isScreen(PrintWriter out) {
    return columns(out) < Integer.MAX_VALUE;
  }

  /** A writer to lines as wide as those of another. */
  public static TerminalWriter asWide(PrintWriter out, Writer to) {
    return new TerminalWriter(to, columns(out));
  }

  /** Characters that a line of a table may have; those of other writers have no limit. */
  static int columns(PrintWriter out) {
    return out instanceof TerminalWriter terminal ? terminal.columns : Integer.MAX_VALUE;
  }

  /** Characters that a line of a sentence may have. */
  static int sentenceColumns(PrintWriter out) {
    return Math.min(MAX_SENTENCE_COLUMNS, columns(out));
  }
}
