package org.allocsim.reports.document.render;

import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.allocsim.analysis.moment.StackLabels;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Column;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Figure;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verbatim;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.text.TerminalWriter;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.VisibleText;
import org.allocsim.reports.text.WrappedText;

/** Prints a document as text that fits the lines of a terminal. */
public final class TerminalRenderer {
  private static final int GAP = 2;

  private final PrintWriter out;
  private final boolean hasEveryRow;
  private boolean isFirst = true;

  private TerminalRenderer(PrintWriter out, boolean hasEveryRow) {
    this.out = out;
    this.hasEveryRow = hasEveryRow;
  }

  /** Prints the whole document, of long tables the rows that paper keeps. */
  public static void print(Document<?> document, PrintWriter out) {
    new TerminalRenderer(out, false).print(document);
  }

  /** Prints the whole document with every row. */
  public static void printEveryRow(Document<?> document, PrintWriter out) {
    new TerminalRenderer(out, true).print(document);
  }

  private void print(Document<?> document) {
    if (document.verdict() != null) {
      begin();
      print(document.verdict(), out);
    }
    document.sections().forEach(this::print);
  }

  /** Prints what a first screen has room for; all of it where nobody reads it on a screen. */
  public static void printFirst(Document<?> document, PrintWriter out) {
    if (TerminalWriter.isScreen(out)) {
      new FirstScreen(out).print(document);
    } else {
      print(document, out);
    }
  }

  /** An empty line between parts. */
  private void begin() {
    if (!isFirst) {
      out.println();
    }
    isFirst = false;
  }

  private static void print(Verdict verdict, PrintWriter out) {
    printHead(verdict, out);
    verdict.details().forEach(detail -> WrappedText.printItem(out, "", detail.toString()));
  }

  /** What happened, and the line that helps. */
  static void printHead(Verdict verdict, PrintWriter out) {
    WrappedText.print(out, "", "", verdict.sentence().toString());
    if (verdict.pasteLine() != null) {
      out.println("  " + VisibleText.of(verdict.pasteLine()));
    }
  }

  private void print(Section section) {
    if (section.title() != null) {
      begin();
      WrappedText.printLine(out, section.title());
      isFirst = true;
    }
    for (Block block : section.blocks()) {
      if (block instanceof Figure) {
        continue;
      }
      begin();
      print(hasEveryRow && block instanceof Table<?> table ? table.whole() : block, out);
    }
  }

  /** Prints one block; nothing of a drawing. */
  static void print(Block block, PrintWriter out) {
    switch (block) {
      case Figure _ -> {}
      case Facts facts -> print(facts, out);
      case Notes notes -> print(notes, out);
      case Table<?> table -> print(table, out);
      case Verbatim(var text) -> out.println(VisibleText.ofLines(text.stripTrailing()));
    }
  }

  private static void print(Facts facts, PrintWriter out) {
    int width = facts.facts().keySet().stream().mapToInt(String::length).max().orElse(0) + GAP;
    for (Map.Entry<String, Sentence> fact : facts.facts().entrySet()) {
      String word = fact.getKey();
      String label = word + " ".repeat(width - word.length());
      WrappedText.printField(out, label, fact.getValue().toString());
    }
  }

  private static void print(Notes notes, PrintWriter out) {
    if (notes.title() == null) {
      notes.sentences().forEach(text -> WrappedText.print(out, "", "", text.toString()));
    } else {
      out.println(VisibleText.of(notes.title()) + ":");
      notes.sentences().forEach(note -> WrappedText.printItem(out, "  ", note.toString()));
    }
  }

  private static <R> void print(Table<R> table, PrintWriter out) {
    textTable(table, table.shown(), text -> text)
        .expendable("--csv FILE has all", expendable(table))
        .print(out, "");
    if (table.others() != null) {
      WrappedText.print(out, "", "", table.others());
    }
    table.leftOutRows().forEach(row -> WrappedText.printItem(out, "", row.toString()));
  }

  /**
   * Prints some rows of a table in as few lines as they take: columns that can be spared go first.
   */
  static <R> void printExcerpt(Table<R> table, List<R> rows, PrintWriter out) {
    textTable(table, rows, StackLabels::innermost)
        .expendable("", expendable(table))
        .compact()
        .print(out, "");
  }

  private static <R> List<String> expendable(Table<R> table) {
    return table.readable().stream()
        .filter(column -> column.rank() > 0)
        .sorted(Comparator.comparingInt((Column<R> column) -> column.rank()).reversed())
        .map(Column::label)
        .toList();
  }

  /** The cells as people read them. */
  static <R> TextTable textTable(Table<R> table) {
    return textTable(table, table.shown(), text -> text);
  }

  private static <R> TextTable textTable(
      Table<R> table, List<R> rows, UnaryOperator<String> shortened) {
    List<Column<R>> columns = table.readable();
    TextTable text =
        TextTable.of(
            columns.stream()
                .map(column -> (column.isNumber() ? ">" : "") + column.heading())
                .toArray(String[]::new));
    String group = null;
    for (R row : rows) {
      String heading = table.group().apply(row);
      if (heading != null && !heading.equals(group)) {
        text.heading(heading);
        group = heading;
      }
      text.row(columns.stream().map(column -> shortened.apply(column.text(row))).toArray());
    }
    return text;
  }
}
