package org.allocsim.reports.html;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.allocsim.reports.document.Verdict;

/** A report of figures and tables as one HTML file that needs neither network nor program. */
public final class FleetPage {
  private final StringBuilder body = new StringBuilder();
  private final String title;

  /** A page that begins with a verdict. */
  public FleetPage(String title, Verdict verdict) {
    this.title = title;
    body.append("<section class=\"summary\"><h1 class=\"verdict ")
        .append(verdict.tone().name().toLowerCase(Locale.ROOT))
        .append("\">")
        .append(PageText.escape(verdict.sentence().toString()))
        .append("</h1>\n<ul class=\"facts\">\n");
    verdict
        .details()
        .forEach(detail ->
            body.append("<li>").append(PageText.escape(detail.toString())).append("</li>\n"));
    body.append("</ul></section>\n");
  }

  /** Adds a heading with a text below. */
  public void heading(String text, String note) {
    body.append("<h2>")
        .append(PageText.escape(text))
        .append("</h2>\n<p class=\"hint\">")
        .append(PageText.escape(note))
        .append("</p>\n");
  }

  /** Adds a drawing that has its own heading: an SVG document for light and one for dark paper. */
  public void figure(String caption, String lightSvg, String darkSvg) {
    body.append("<figure tabindex=\"0\" aria-label=\"")
        .append(PageText.escape(caption))
        .append("\">");
    image("on-light", caption, lightSvg);
    image("on-dark", caption, darkSvg);
    body.append("</figure>\n");
  }

  private void image(String theme, String caption, String svg) {
    body.append("<img class=\"")
        .append(theme)
        .append("\" alt=\"")
        .append(PageText.escape(caption))
        .append("\" src=\"data:image/svg+xml;base64,")
        .append(Base64.getEncoder().encodeToString(svg.getBytes(StandardCharsets.UTF_8)))
        .append("\">");
  }

  /**
   * Adds a table.
   *
   * @param name what it shows, for those who do not see it
   * @param headings a leading {@code >} means numbers
   * @param rows a cell for each heading; the first names the row
   */
  public void table(String name, List<String> headings, List<List<String>> rows) {
    body.append("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"")
        .append(PageText.escape(name))
        .append("\"><table><thead><tr>");
    for (String heading : headings) {
      boolean isNumber = heading.startsWith(">");
      body.append(isNumber ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"name\">")
          .append(PageText.escape(isNumber ? heading.substring(1) : heading))
          .append("</th>");
    }
    body.append("</tr></thead>\n<tbody>\n");
    for (List<String> row : rows) {
      body.append("<tr>");
      for (int i = 0; i < row.size(); i++) {
        String tag = i == 0 ? "th" : "td";
        body.append('<')
            .append(tag)
            .append(i == 0 ? " scope=\"row\">" : headings.get(i).startsWith(">") ? ">" : TEXT_CELL)
            .append(cell(row.get(i)))
            .append("</")
            .append(tag)
            .append('>');
      }
      body.append("</tr>\n");
    }
    body.append("</tbody></table></div>\n");
  }

  /** Settings and paths may be broken after these only, not inside a word or a number. */
  private static String cell(String text) {
    return PageText.escape(text).replaceAll("[,/]", "$0<wbr>");
  }

  private static final String OWN_STYLE =
      """
      thead th { padding: 4px 8px; }
      tbody th, tbody td.wide { overflow-wrap: break-word; }
      @media (max-width: 900px) {
        figure { overflow-x: auto; }
        figure img { max-width: none; width: 860px; }
      }
      """;

  private static final String TEXT_CELL = " class=\"wide\" style=\"text-align:left\">";

  /** Writes the page and leaves the stream open. */
  public void write(OutputStream out) {
    String page =
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
        <meta name="color-scheme" content="light dark">
        <title>%s – allocsim fleet-report</title>
        <style>
        %s%s</style>
        </head>
        <body>
        <header><p><span class="brand">allocsim fleet-report</span> <span class="trace-name">%s</span></p></header>
        <main>
        %s</main>
        </body>
        </html>
        """
            .formatted(PageText.escape(title), style(), OWN_STYLE, PageText.escape(title), body);
    try {
      out.write(page.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String style() {
    try (InputStream in = FleetPage.class.getResourceAsStream("page.css")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
