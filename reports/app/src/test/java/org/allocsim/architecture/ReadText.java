package org.allocsim.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text of a file that somebody reads, on one line.
 *
 * @param file path from the root of the project
 * @param line where it begins, from 1
 * @param text what is read
 */
record ReadText(String file, int line, String text) {
  /** What is between three quotes, and the last three. */
  private static final String REST_OF_BLOCK =
      "[^\\\\\"]*+(?:(?:\\\\[\\s\\S]|\"(?!\"\"))[^\\\\\"]*+)*+\"\"\"";

  private static final String BLOCK = "\"\"\"" + REST_OF_BLOCK;
  private static final String STRING = "\"[^\"\\\\\\n]*+(?:\\\\.[^\"\\\\\\n]*+)*+\"";
  private static final String SINGLE_QUOTED = "'[^'\\\\\\n]*+(?:\\\\.[^'\\\\\\n]*+)*+'";

  /** Comments, character literals, and strings; strings are group 1. */
  private static final Pattern JAVA =
      Pattern.compile(
          "//[^\\n]*|/\\*[\\s\\S]*?\\*/|" + SINGLE_QUOTED + "|(" + BLOCK + "|" + STRING + ")");

  /** Comments and strings; docstrings are group 1, other strings group 2. */
  private static final Pattern PYTHON =
      Pattern.compile(
          "#[^\\n]*|(?<=^|\\n) *+r?("
              + BLOCK
              + ")|("
              + BLOCK
              + "|"
              + STRING
              + "|"
              + SINGLE_QUOTED
              + ")");

  /** Comments of JavaScript, style sheets and HTML; addresses in a text are none. */
  private static final Pattern PAGE_COMMENT =
      Pattern.compile("(?<=^|[\\s;{}])//[^\\n]*|/\\*[\\s\\S]*?\\*/|<!--[\\s\\S]*?-->");

  /** Code in documents: fenced, indented, in backticks, and targets of links. */
  private static final Pattern DOCUMENT_CODE =
      Pattern.compile("(?ms)^```.*?^```|^ {4}[^\\n]*|`[^`]*`|\\]\\([^)\\s]*\\)");

  /** String literals of Java; literals that are joined by + are one text. */
  static List<ReadText> ofJava(String file, String source) {
    return joined(
        file,
        source,
        JAVA.matcher(source).results().filter(each -> each.group(1) != null).toList(),
        1,
        "\\s*\\+\\s*");
  }

  /** String literals of Python; adjacent ones are one text. */
  static List<ReadText> ofPython(String file, String source, boolean withDocstrings) {
    List<MatchResult> found = PYTHON.matcher(source).results().toList();
    List<ReadText> texts =
        new ArrayList<>(
            joined(
                file,
                source,
                found.stream().filter(each -> each.group(2) != null).toList(),
                2,
                "\\s*[rf]?"));
    if (withDocstrings) {
      found.stream()
          .filter(each -> each.group(1) != null)
          .map(each ->
              new ReadText(file, line(source, each.start(1)), oneLine(content(each.group(1)))))
          .forEach(texts::add);
    }
    return texts;
  }

  /** What remains of a script, a style sheet or a page without comments, line by line. */
  static List<ReadText> ofPage(String file, String source) {
    return lines(file, blanked(PAGE_COMMENT, source));
  }

  /** All lines of a plain text. */
  static List<ReadText> ofPlainText(String file, String source) {
    return List.of(new ReadText(file, 1, oneLine(source)));
  }

  /** The prose of a document, paragraph by paragraph. */
  static List<ReadText> ofDocument(String file, String source) {
    String prose = blanked(DOCUMENT_CODE, source);
    List<ReadText> paragraphs = new ArrayList<>();
    Matcher paragraph = Pattern.compile("(?:[^\\n]+\\n?)+").matcher(prose);
    while (paragraph.find()) {
      if (!paragraph.group().isBlank()) {
        paragraphs.add(
            new ReadText(file, line(prose, paragraph.start()), oneLine(paragraph.group())));
      }
    }
    return paragraphs;
  }

  /** Java without comments and literals: what is left has the names. */
  static List<ReadText> ofJavaNames(String file, String source) {
    return lines(file, blanked(JAVA, source));
  }

  private static List<ReadText> joined(
      String file, String source, List<MatchResult> literals, int group, String between) {
    Pattern joint = Pattern.compile(between);
    List<ReadText> texts = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    int start = -1;
    int end = -1;
    for (MatchResult literal : literals) {
      boolean continues =
          start >= 0 && joint.matcher(source.substring(end, literal.start(group))).matches();
      if (!continues && start >= 0) {
        texts.add(new ReadText(file, line(source, start), oneLine(text.toString())));
        text.setLength(0);
      }
      if (!continues) {
        start = literal.start(group);
      }
      text.append(content(literal.group(group)));
      end = literal.end(group);
    }
    if (start >= 0) {
      texts.add(new ReadText(file, line(source, start), oneLine(text.toString())));
    }
    return texts;
  }

  /** A literal without its quotes. */
  private static String content(String literal) {
    int quotes = literal.startsWith("\"\"\"") ? 3 : 1;
    return literal.substring(quotes, literal.length() - quotes);
  }

  private static List<ReadText> lines(String file, String text) {
    List<ReadText> lines = new ArrayList<>();
    int number = 0;
    for (String each : text.split("\n", -1)) {
      number++;
      if (!each.isBlank()) {
        lines.add(new ReadText(file, number, each.strip()));
      }
    }
    return lines;
  }

  private static String blanked(Pattern pattern, String text) {
    return pattern.matcher(text).replaceAll(found -> found.group().replaceAll("[^\\n]", " "));
  }

  private static int line(String text, int end) {
    return 1 + (int) text.substring(0, end).chars().filter(each -> each == '\n').count();
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\\\\\n\\s*", "").replace("\\n", " ").replaceAll("\\s+", " ").strip();
  }
}
