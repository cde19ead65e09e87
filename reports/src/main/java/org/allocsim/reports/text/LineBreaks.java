package org.allocsim.reports.text;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Breaks text into lines: between words, and within those that are longer than a line. A number,
 * its groups of digits and its unit are one word.
 */
final class LineBreaks {
  /** Long words are broken after one of these, those of the first group if there is one. */
  private static final String[] WITHIN_WORDS = {",;/", "-_.:=()"};

  private static final Pattern BETWEEN_WORDS =
      Pattern.compile("(?<!\\d) | (?!\\d|[KMGTP]?i?B\\b|%|[mµn]?s\\b)");

  private LineBreaks() {}

  /** The parts of a text that stay on one line where they fit it. */
  static String[] words(String text) {
    return BETWEEN_WORDS.split(text);
  }

  /** The lines of a text, none of which is longer than {@code width}; at least one. */
  static List<String> of(String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : words(text)) {
      if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
      while (line.length() > width) {
        int end = within(line, width);
        lines.add(line.substring(0, end));
        line.delete(0, end);
      }
    }
    lines.add(line.toString());
    return lines;
  }

  /** Where a word that is too long breaks: not before the middle of the line. */
  private static int within(CharSequence word, int width) {
    for (String marks : WITHIN_WORDS) {
      for (int end = width; end > width / 2; end--) {
        if (marks.indexOf(word.charAt(end - 1)) >= 0) {
          return end;
        }
      }
    }
    return width;
  }

  /** Characters of the longest word. */
  static int longestWord(String text) {
    int longest = 0;
    for (String word : words(text)) {
      longest = Math.max(longest, word.length());
    }
    return longest;
  }
}
