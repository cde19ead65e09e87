package org.allocsim.reports.output;

import java.io.PrintWriter;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.render.MarkdownRenderer;
import org.allocsim.reports.document.render.TerminalRenderer;

/** How an answer is printed. */
public enum TextForm {
  /** What a screen has room for; all of it where the output is no screen. */
  FIRST_SCREEN,
  /** All of it, of long tables the first rows. */
  WHOLE,
  /** All of it, with every row. */
  EVERY_ROW,
  /** All of it, as Markdown. */
  MARKDOWN;

  void print(Document<?> document, PrintWriter out) {
    switch (this) {
      case FIRST_SCREEN -> TerminalRenderer.printFirst(document, out);
      case WHOLE -> TerminalRenderer.print(document, out);
      case EVERY_ROW -> TerminalRenderer.printEveryRow(document, out);
      case MARKDOWN -> MarkdownRenderer.print(document, out);
    }
  }
}
