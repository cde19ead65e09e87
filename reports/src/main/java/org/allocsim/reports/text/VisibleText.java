package org.allocsim.reports.text;

/**
 * Text from outside, such as the name of a file or a function, that does nothing where it is shown:
 * characters that move the cursor, turn the direction of the line or cannot be seen become escapes
 * such as {@code \n} and {@code \u202e}.
 */
public final class VisibleText {
  private VisibleText() {}

  /** The text in one line; the same object where nothing has to be escaped. */
  public static String of(String text) {
    return of(text, false);
  }

  /** As {@link #of(String)}, of text whose line ends and tabs mean what they are. */
  public static String ofLines(String text) {
    return of(text, true);
  }

  private static String of(String text, boolean keepsLines) {
    for (int i = 0; i < text.length(); ) {
      int character = text.codePointAt(i);
      if (isHidden(character) && !(keepsLines && isLayout(character))) {
        return escaped(text, i, keepsLines);
      }
      i += Character.charCount(character);
    }
    return text;
  }

  private static String escaped(String text, int from, boolean keepsLines) {
    StringBuilder visible = new StringBuilder(text.length() + 16).append(text, 0, from);
    text.substring(from)
        .codePoints()
        .forEach(character -> {
          if (!isHidden(character) || (keepsLines && isLayout(character))) {
            visible.appendCodePoint(character);
            return;
          }
          switch (character) {
            case '\n' -> visible.append("\\n");
            case '\r' -> visible.append("\\r");
            case '\t' -> visible.append("\\t");
            default -> {
              for (char unit : Character.toChars(character)) {
                visible
                    .append("\\u")
                    .append(Character.forDigit(unit >> 12 & 0xf, 16))
                    .append(Character.forDigit(unit >> 8 & 0xf, 16))
                    .append(Character.forDigit(unit >> 4 & 0xf, 16))
                    .append(Character.forDigit(unit & 0xf, 16));
              }
            }
          }
        });
    return visible.toString();
  }

  private static boolean isLayout(int character) {
    return character == '\n' || character == '\t';
  }

  /** Control characters, marks of direction and of no width, separators of lines, half pairs. */
  private static boolean isHidden(int character) {
    if (character >= ' ' && character < 0x7f) {
      return false;
    }
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          true;
      // Those that are shown as nothing though they count as letters or marks.
      default -> character == 0x115f || character == 0x1160 || character == 0x3164;
    };
  }
}
