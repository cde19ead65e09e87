package org.allocsim.reports.html;

import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Unit;
import org.allocsim.reports.text.VisibleText;

/** Text as HTML. */
final class PageText {
  private PageText() {}

  /** Quantities stay on one line and show their exact bytes to those who point at them. */
  static String html(Sentence sentence) {
    StringBuilder html = new StringBuilder();
    for (Object part : sentence.parts()) {
      String text = escape(unbroken(part.toString()));
      if (part instanceof Quantity(var unit, var value, var isExact)
          && unit == Unit.BYTES
          && !isExact) {
        html.append("<span title=\"")
            .append(Numbers.count((Long) value))
            .append(" B\">")
            .append(text)
            .append("</span>");
      } else {
        html.append(text);
      }
    }
    return html.toString();
  }

  /** Keeps the groups of a number and its unit on one line. */
  private static String unbroken(String text) {
    return text.replaceAll("(?<=\\d) (?=\\d{3}\\b)", "\u202f")
        .replaceAll("(?<=\\d) (?=([KMGT]i)?B\\b|[nµm]?s\\b|%)", "\u00a0");
  }

  /** Text that never becomes markup. */
  static String escape(String text) {
    return VisibleText.ofLines(text)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }
}
