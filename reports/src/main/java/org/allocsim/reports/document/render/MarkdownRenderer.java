package org.allocsim.reports.document.render;

import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Figure;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verbatim;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.text.MarkdownText;

/** Prints a document as Markdown, for pull requests. */
public final class MarkdownRenderer {
  private final PrintWriter out;

  private MarkdownRenderer(PrintWriter out) {
    this.out = out;
  }

  public static void print(Document<?> document, PrintWriter out) {
    MarkdownRenderer renderer = new MarkdownRenderer(out);
    if (document.verdict() != null) {
      renderer.print(document.verdict());
    }
    document.sections().forEach(renderer::print);
  }

  private void print(Verdict verdict) {
    out.println("**" + text(verdict.sentence()) + "**");
    if (verdict.pasteLine() != null) {
      out.println("\n" + MarkdownText.block("sh", verdict.pasteLine()));
    }
    print(verdict.details());
  }

  private void print(Section section) {
    if (section.title() != null) {
      out.println("\n### " + MarkdownText.of(section.title()));
    }
    for (Block block : section.blocks()) {
      switch (block) {
        case Facts(var facts) -> {
          out.println();
          out.println(
              facts.entrySet().stream()
                  .map(fact -> "**" + fact.getKey() + "** " + text(fact.getValue()))
                  .collect(Collectors.joining("\\\n")));
        }
        case Notes(var title, var sentences) when title == null ->
            sentences.forEach(sentence -> out.println("\n" + text(sentence)));
        case Notes(var title, var sentences) -> {
          out.println("\n" + MarkdownText.of(title) + ":");
          print(sentences);
        }
        case Figure _ -> {}
        case Verbatim(var text) -> out.println("\n" + MarkdownText.block("text", text));
        case Table<?> table -> {
          out.println();
          TerminalRenderer.textTable(table).printMarkdown(out);
          if (table.others() != null) {
            out.println("\n" + MarkdownText.of(table.others()));
          }
          print(table.leftOutRows());
        }
      }
    }
  }

  private static String text(Sentence sentence) {
    return MarkdownText.of(sentence.toString());
  }

  private void print(List<Sentence> items) {
    if (!items.isEmpty()) {
      out.println();
      items.forEach(item -> out.println("- " + text(item)));
    }
  }
}
