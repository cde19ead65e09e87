package org.allocsim.reports.text;

/**
 * Text that Markdown shows as it is: no HTML, no link, no code, no cell of a table begins in it.
 */
public final class MarkdownText {
  private MarkdownText() {}

  /** Text within a line. */
  public static String of(String text) {
    String visible = VisibleText.of(text);
    StringBuilder markdown = new StringBuilder(visible.length());
    for (int i = 0; i < visible.length(); i++) {
      char character = visible.charAt(i);
      char next = i + 1 < visible.length() ? visible.charAt(i + 1) : ' ';
      switch (character) {
        case '<' -> markdown.append(beginsTag(next) ? "&lt;" : "<");
        case '&' -> markdown.append(Character.isLetter(next) || next == '#' ? "&amp;" : "&");
        case '`' -> markdown.append("\\`");
        case '\\' -> markdown.append(isPunctuation(next) ? "\\\\" : "\\");
        // [text](target), [text][name] and [name]: target are links.
        case ']' -> markdown.append(next == '(' || next == '[' || next == ':' ? "\\]" : "]");
        default -> markdown.append(character);
      }
    }
    return markdown.toString();
  }

  /** Text in a cell of a table. */
  public static String cell(String text) {
    return of(text).replace("|", "\\|");
  }

  /**
   * A block of code that no line of its text ends.
   *
   * @param language what the text is written in
   */
  public static String block(String language, String text) {
    String visible = VisibleText.ofLines(text.stripTrailing());
    StringBuilder fence = new StringBuilder("```");
    while (visible.contains(fence)) {
      fence.append('`');
    }
    return fence + language + "\n" + visible + "\n" + fence;
  }

  private static boolean beginsTag(char next) {
    return Character.isLetter(next) || next == '/' || next == '!' || next == '?';
  }

  private static boolean isPunctuation(char next) {
    return next > ' ' && next < 0x7f && !Character.isLetterOrDigit(next);
  }
}
