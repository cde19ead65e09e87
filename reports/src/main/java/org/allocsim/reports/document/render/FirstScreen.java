package org.allocsim.reports.document.render;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.text.TerminalWriter;
import org.allocsim.reports.text.WrappedText;

/**
 * The part of a document that is read at once: the verdict, and of the rest what there is room for,
 * in its order. Of a long table it has the first rows. The last line says how much is left out.
 */
final class FirstScreen {
  private static final int LINES = 30;

  /** Lines of the verdict, so that something else fits. */
  private static final int VERDICT_LINES = 15;

  private static final int ROWS = 10;
  private static final int FEWEST_ROWS = 2;

  private final PrintWriter out;

  /** Lines that are free, without an empty one and the last sentence. */
  private int left = LINES - 3;

  private int hidden;

  /** Headings of notes that are left out. */
  private final List<String> hiddenNotes = new ArrayList<>();

  private boolean isFirst = true;

  FirstScreen(PrintWriter out) {
    this.out = out;
  }

  void print(Document<?> document) {
    int whole = count(lines -> TerminalRenderer.print(document, lines));
    if (whole <= LINES
        && document.tables().stream().allMatch(table -> table.shown().size() <= ROWS)) {
      TerminalRenderer.print(document, out);
      return;
    }
    if (document.verdict() != null) {
      print(document.verdict());
    }
    document.sections().forEach(this::print);
    if (hidden > 0) {
      out.println();
      String among =
          hiddenNotes.isEmpty()
              ? ""
              : ", among them " + String.join(", ", hiddenNotes.stream().distinct().toList());
      WrappedText.print(
          out, "", "", Numbers.count(hidden, "more line") + among + "; --all shows everything.");
    }
  }

  /** The last detail says what to do next, and stays. */
  private void print(Verdict verdict) {
    String head = text(lines -> TerminalRenderer.printHead(verdict, lines));
    List<String> details =
        verdict.details().stream()
            .map(Sentence::toString)
            .map(detail -> text(lines -> WrappedText.printItem(lines, "", detail)))
            .toList();
    int room = VERDICT_LINES - lines(head);
    StringBuilder kept = new StringBuilder(head);
    for (int i = 0; i < details.size(); i++) {
      String detail = details.get(i);
      boolean isLast = i == details.size() - 1;
      if (isLast || lines(detail) <= room - lines(details.getLast())) {
        kept.append(detail);
        room -= lines(detail);
      } else {
        hidden += lines(detail);
      }
    }
    put(kept.toString());
  }

  private void print(Section section) {
    String heading = section.title();
    String title = heading == null ? "" : text(lines -> WrappedText.printLine(lines, heading));
    for (Block block : section.blocks()) {
      int before = left;
      String all = text(lines -> TerminalRenderer.print(block, lines));
      if (all.isEmpty()) {
        continue;
      }
      int room = left - lines(title) - (isFirst ? 0 : 1);
      if (block instanceof Table<?> table && (table.shown().size() > ROWS || lines(all) > room)) {
        printFirstRows(title, table, lines(all), room);
      } else if (lines(all) <= room) {
        put(title + all);
      } else if (block instanceof Notes notes && notes.title() != null) {
        printFirstNotes(title, notes, room);
      } else {
        hidden += lines(all);
      }
      if (left < before) {
        title = "";
      }
    }
  }

  /** As many as fit; if that is none, what they are about is named at least. */
  private void printFirstNotes(String title, Notes notes, int room) {
    String all = text(lines -> TerminalRenderer.print(notes, lines));
    for (int count = Math.min(ROWS, notes.sentences().size() - 1); count > 0; count--) {
      Notes first = new Notes(notes.title(), notes.sentences().subList(0, count));
      String text = text(lines -> TerminalRenderer.print(first, lines));
      if (lines(text) <= room) {
        put(title + text);
        hidden += lines(all) - lines(text);
        return;
      }
    }
    hidden += lines(all);
    hiddenNotes.add(Objects.requireNonNull(notes.title()));
  }

  private <R> void printFirstRows(String title, Table<R> table, int all, int room) {
    List<R> rows = table.shown();
    for (int count = Math.min(ROWS, rows.size());
        count >= Math.clamp(rows.size(), 1, FEWEST_ROWS);
        count--) {
      List<R> kept = table.foremost(count);
      String text = text(lines -> TerminalRenderer.printExcerpt(table, kept, lines));
      if (lines(text) <= room) {
        put(title + text);
        hidden += Math.max(0, all - lines(text));
        return;
      }
    }
    hidden += all;
  }

  private void put(String text) {
    if (!isFirst) {
      out.println();
      left--;
    }
    isFirst = false;
    out.print(text);
    left -= lines(text);
  }

  private int count(Consumer<PrintWriter> printing) {
    return lines(text(printing));
  }

  private static int lines(String text) {
    return (int) text.lines().count();
  }

  private String text(Consumer<PrintWriter> printing) {
    StringWriter written = new StringWriter();
    try (TerminalWriter lines = TerminalWriter.asWide(out, written)) {
      printing.accept(lines);
    }
    return written.toString();
  }
}
