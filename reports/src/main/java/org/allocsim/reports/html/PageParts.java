package org.allocsim.reports.html;

import java.util.List;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Column;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verbatim;

/** What needs no program on a page: facts, small tables, notes. */
final class PageParts {
  private final StringBuilder html = new StringBuilder();

  private PageParts() {}

  /** All such parts of a document, in their order. */
  static String of(Document<?> document) {
    PageParts parts = new PageParts();
    for (Section section : document.sections()) {
      if (section.title() != null) {
        parts.heading(section.title());
      }
      section.blocks().forEach(parts::add);
    }
    return parts.html.toString();
  }

  private void add(Block block) {
    switch (block) {
      case Facts(var facts) -> {
        html.append("<dl class=\"about\">\n");
        facts.forEach((word, fact) ->
            html.append("<div><dt>")
                .append(PageText.escape(word))
                .append("</dt><dd>")
                .append(PageText.html(fact))
                .append("</dd></div>\n"));
        html.append("</dl>\n");
      }
      case Notes(var title, var sentences) when title == null ->
          sentences.forEach(
              text -> html.append("<p>").append(PageText.html(text)).append("</p>\n"));
      case Notes(var title, var sentences) -> {
        heading(Character.toUpperCase(title.charAt(0)) + title.substring(1));
        list(sentences);
      }
      case Verbatim(var text) ->
          html.append("<div class=\"scroll\"><pre>")
              .append(PageText.escape(text.stripTrailing()))
              .append("</pre></div>\n");
      // Rows of the JSON are drawn by the page's program, which sorts them.
      case Table<?> table when table.pointer() != null -> {}
      case Table<?> table -> {
        heading(table.caption());
        put(table);
        list(table.leftOutRows());
      }
    }
  }

  private void heading(String text) {
    html.append("<h2>").append(PageText.escape(text)).append("</h2>\n");
  }

  private void list(List<Sentence> sentences) {
    if (!sentences.isEmpty()) {
      html.append("<ul class=\"facts\">\n");
      sentences.forEach(each -> html.append("<li>").append(PageText.html(each)).append("</li>\n"));
      html.append("</ul>\n");
    }
  }

  private <R> void put(Table<R> table) {
    List<Column<R>> columns = table.readable();
    html.append("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"")
        .append(PageText.escape(table.caption()))
        .append("\"><table class=\"plain\"><thead><tr>");
    for (Column<R> column : columns) {
      html.append("<th scope=\"col\"")
          .append(column.isNumber() ? "" : " class=\"name\"")
          .append(" title=\"")
          .append(PageText.escape(column.explanation()))
          .append("\">")
          .append(PageText.escape(column.label()))
          .append("</th>");
    }
    html.append("</tr></thead>\n<tbody>\n");
    for (R row : table.rows()) {
      html.append("<tr>");
      for (Column<R> column : columns) {
        html.append(column.isNumber() ? "<td>" : "<td class=\"wide name\">")
            .append(PageText.escape(column.text(row)))
            .append("</td>");
      }
      html.append("</tr>\n");
    }
    html.append("</tbody></table></div>\n");
  }
}
