package org.allocsim.analysis.oom;

import java.util.regex.Pattern;

/** Text without white space and without the marks that loggers and terminals put around words. */
final class CompactText {
  /** Colours that were written out: {@code \x1b[31m}, {@code ^[[0m}, or the bracket alone. */
  private static final Pattern COLOURS =
      Pattern.compile("(?:\\\\x1[bB]|\\\\u001[bB]|\\\\033|\\\\e|\\^\\[)?\\[[0-9;]{1,16}m");

  private CompactText() {}

  /**
   * Appends the text without white space (also the escapes {@code \n}, {@code \t}, {@code \r}),
   * quotes, back-ticks, asterisks and colours.
   */
  static void append(String text, StringBuilder target) {
    String plain = text.indexOf('[') >= 0 ? COLOURS.matcher(text).replaceAll("") : text;
    int length = plain.length();
    for (int i = 0; i < length; i++) {
      char c = plain.charAt(i);
      if (c == '\\') {
        if (i + 1 < length && "nrt".indexOf(plain.charAt(i + 1)) >= 0) {
          i++;
        }
      } else if (c > ' ' && c < 0x7f && c != '"' && c != '\'' && c != '`' && c != '*') {
        target.append(c);
      }
    }
  }
}
