package org.allocsim.reports.document.render;

import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
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
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.VisibleText;
import org.allocsim.reports.text.WrappedText;

/** Prints a document as text that fits the lines of a terminal. */
public final class TerminalRenderer {
  private static final int GAP = 2;

  private final PrintWriter out;
  private boolean isFirst = true;

  private TerminalRenderer(PrintWriter out) {
    this.out = out;
  }

  public static void print(Document<?> document, PrintWriter out) {
    TerminalRenderer renderer = new TerminalRenderer(out);
    if (document.verdict() != null) {
      renderer.print(document.verdict());
    }
    document.sections().forEach(renderer::print);
  }

  /** An empty line between parts. */
  private void begin() {
    if (!isFirst) {
      out.println();
    }
    isFirst = false;
  }

  private void print(Verdict verdict) {
    begin();
    WrappedText.print(out, "", "", verdict.sentence().toString());
    if (verdict.pasteLine() != null) {
      out.println("  " + VisibleText.of(verdict.pasteLine()));
    }
    verdict.details().forEach(detail -> WrappedText.printItem(out, "", detail.toString()));
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
      switch (block) {
        case Figure _ -> {}
        case Facts facts -> print(facts);
        case Notes notes -> print(notes);
        case Table<?> table -> print(table);
        case Verbatim(var text) -> out.println(VisibleText.ofLines(text.stripTrailing()));
      }
    }
  }

  private void print(Facts facts) {
    int width = facts.facts().keySet().stream().mapToInt(String::length).max().orElse(0) + GAP;
    for (Map.Entry<String, Sentence> fact : facts.facts().entrySet()) {
      String word = fact.getKey();
      String label = word + " ".repeat(width - word.length());
      WrappedText.printField(out, label, fact.getValue().toString());
    }
  }

  private void print(Notes notes) {
    if (notes.title() == null) {
      notes.sentences().forEach(text -> WrappedText.print(out, "", "", text.toString()));
    } else {
      out.println(VisibleText.of(notes.title()) + ":");
      notes.sentences().forEach(note -> WrappedText.printItem(out, "  ", note.toString()));
    }
  }

  private <R> void print(Table<R> table) {
    List<String> expendable =
        table.readable().stream()
            .filter(column -> column.rank() > 0)
            .sorted(Comparator.comparingInt((Column<R> column) -> column.rank()).reversed())
            .map(Column::label)
            .toList();
    textTable(table).expendable("--csv FILE has all", expendable).print(out, "");
    if (table.others() != null) {
      WrappedText.print(out, "", "", table.others());
    }
    table.leftOutRows().forEach(row -> WrappedText.printItem(out, "", row.toString()));
  }

  /** The cells as people read them. */
  static <R> TextTable textTable(Table<R> table) {
    List<Column<R>> columns = table.readable();
    TextTable text =
        TextTable.of(
            columns.stream()
                .map(column -> (column.isNumber() ? ">" : "") + column.heading())
                .toArray(String[]::new));
    for (R row : table.shown()) {
      text.row(columns.stream().map(column -> column.text(row)).toArray());
    }
    return text;
  }
}
