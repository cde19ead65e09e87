package org.allocsim.reports.html;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
import org.jspecify.annotations.Nullable;

/** What needs no program on a page: facts, small tables, notes. */
final class PageParts {
  /** A browser lays out more rows than these too slowly: a longer table is as on paper. */
  private static final int MAX_ROWS = 1000;

  private final StringBuilder html = new StringBuilder();
  private final Set<String> regions = new HashSet<>();
  private final List<Table<?>> drawn;

  private PageParts(List<Table<?>> drawn) {
    this.drawn = drawn;
  }

  /** All such parts of a document but what comes ahead of the tables, in their order. */
  static String of(Document<?> document) {
    return of(document, document.sections().stream().filter(each -> !isPasted(each)).toList());
  }

  /** What is there to be copied, which comes ahead of the tables. */
  static String pasted(Document<?> document) {
    return of(document, document.sections().stream().filter(PageParts::isPasted).toList());
  }

  private static boolean isPasted(Section section) {
    return !section.blocks().isEmpty()
        && section.blocks().stream().allMatch(each -> each instanceof Verbatim);
  }

  private static String of(Document<?> document, List<Section> sections) {
    PageParts parts = new PageParts(PageTable.drawn(document));
    for (Section section : sections) {
      if (section.title() != null) {
        parts.heading(section.title());
      }
      section.blocks().forEach(block -> parts.add(block, section.title()));
    }
    return parts.html.toString();
  }

  private void add(Block block, @Nullable String section) {
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
          html.append("<pre class=\"scroll\" tabindex=\"0\">")
              .append(PageText.escape(text.stripTrailing()))
              .append("</pre>\n");
      case Figure(var caption, var broad, var narrow) -> {
        html.append("<figure tabindex=\"0\" aria-label=\"")
            .append(PageText.escape(caption))
            .append("\">");
        drawing("broad", caption, broad);
        drawing("narrow", caption, narrow);
        html.append("</figure>\n");
      }
      case Table<?> table when drawn.contains(table) -> {}
      case Table<?> table -> {
        if (!table.caption().equals(section)) {
          heading(table.caption());
        }
        put(table);
        list(table.leftOutRows());
      }
    }
  }

  private void drawing(String width, String caption, Figure.Drawing drawing) {
    html.append("<div class=\"").append(width).append("\">");
    image("on-light", caption, drawing.lightSvg());
    image("on-dark", caption, drawing.darkSvg());
    html.append("</div>");
  }

  private void image(String theme, String caption, String svg) {
    html.append("<img class=\"")
        .append(theme)
        .append("\" alt=\"")
        .append(PageText.escape(caption))
        .append("\" src=\"data:image/svg+xml;base64,")
        .append(Base64.getEncoder().encodeToString(svg.getBytes(StandardCharsets.UTF_8)))
        .append("\">");
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

  /** A name that no other region of the page has. */
  private String unlike(String name) {
    String unique = name;
    for (int number = 2; !regions.add(unique); number++) {
      unique = name + " (" + number + ")";
    }
    return unique;
  }

  /** The number by which the page's program sorts a cell; without one it sorts by the text. */
  private static <R> String sortedBy(Column<R> column, R row) {
    boolean isNumber = column.unit() != null && column.unit().isNumber();
    return isNumber && column.value(row) instanceof Number number
        ? " data-value=\"" + number + '"'
        : "";
  }

  private <R> void put(Table<R> table) {
    List<Column<R>> columns = table.readable();
    html.append("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"")
        .append(PageText.escape(unlike(table.caption())))
        .append("\"><table class=\"plain\"><thead><tr>");
    for (Column<R> column : columns) {
      html.append("<th scope=\"col\"")
          .append(column.isNumber() ? "" : " class=\"name\"")
          .append(" title=\"")
          .append(PageText.escape(column.explanation()))
          .append("\">")
          .append(
              column.heading().isBlank()
                  ? "<span class=\"unseen\">" + PageText.escape(column.explanation()) + "</span>"
                  : PageText.escape(column.heading()))
          .append("</th>");
    }
    html.append("</tr></thead>\n<tbody>\n");
    boolean isLong = table.rows().size() > MAX_ROWS;
    for (R row : isLong ? table.shown() : table.rows()) {
      html.append("<tr>");
      for (Column<R> column : columns) {
        html.append(column.isNumber() ? "<td" : "<td class=\"wide name\"")
            .append(sortedBy(column, row))
            .append('>')
            .append(PageText.escape(column.text(row)))
            .append("</td>");
      }
      html.append("</tr>\n");
    }
    html.append("</tbody></table></div>\n");
    if (isLong && table.others() != null) {
      html.append("<p>").append(PageText.escape(table.others())).append("</p>\n");
    }
  }
}
