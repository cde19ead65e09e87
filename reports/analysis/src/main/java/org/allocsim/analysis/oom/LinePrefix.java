package org.allocsim.analysis.oom;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a launcher, logger or quoting puts in front of each line, and who wrote the line.
 *
 * @param source rank, process or host that the prefix names, "" where it names none
 * @param length characters of the prefix
 */
record LinePrefix(String source, int length) {
  private static final int MAX_PARTS = 12;
  private static final int MAX_CHARS = 400;

  /** Parts that distinguish ranks and processes. */
  private static final Pattern SOURCE =
      Pattern.compile(
          "\\[(?:rank ?)?\\d{1,6}\\](?:\\[[^\\]\\s]{1,40}\\])?:?"
              + "|\\[(?:default|rank|node|gpu|cuda:|Rank |local_rank )=?\\d{1,6}\\]:?"
              + "|\\[\\d{1,6},\\d{1,6}\\]<std(?:out|err)>:?"
              + "|\\[[\\w.-]{1,60}:\\d{1,9}(?::\\d{1,9})?\\]"
              + "|\\([^()]{0,80}(?:pid=|rank=|ip=)[^()]{0,80}\\)"
              + "|[\\w.-]{0,60}\\d: "
              + "|[\\w.-]{1,60}\\d\\s{1,20}\\| ");

  /** Parts that do not: times, levels, modules, quoting; RMM's failures stand in brackets, too. */
  private static final Pattern DECORATION =
      Pattern.compile(
          "\\d{4}[-/]\\d{2}[-/]\\d{2}[T"
              + " _]\\d{2}:\\d{2}:\\d{2}[\\d.,:]{0,12}(?:Z|[+-]\\d{2}:?\\d{2})?:?|\\d{2}[-/]\\d{2}["
              + " T]\\d{2}:\\d{2}:\\d{2}[\\d.,]{0,12}"
              + "|\\d{1,2}:\\d{2}:\\d{2}[\\d.,]{0,12}|[EWIF]\\d{4}"
              + " \\d{2}:\\d{2}:\\d{2}[\\d.]{0,12}\\s{1,8}\\d{1,9} [^\\]\\s]{1,100}\\]"
              + "|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL|stderr|stdout)(?:[:"
              + " ]|(?=\\[)|$)(?: ?F )?|\\[(?!FAILURE"
              + " )[^\\[\\]]{0,100}\\]:?|[\\w./-]{1,80}\\.py:\\d{1,6}\\]?:?|[>|#-]{1,3}(?=\\s|$)");

  /** Takes the prefix apart. */
  static LinePrefix of(String line) {
    String head = line.length() > MAX_CHARS ? line.substring(0, MAX_CHARS) : line;
    StringBuilder source = new StringBuilder();
    Matcher names = SOURCE.matcher(head);
    Matcher decoration = DECORATION.matcher(head);
    int at = skipBlanks(head, 0);
    for (int part = 0; part < MAX_PARTS && at < head.length(); part++) {
      names.region(at, head.length());
      decoration.region(at, head.length());
      if (names.lookingAt()) {
        source.append(source.isEmpty() ? "" : " ").append(named(names.group()));
        at = skipBlanks(head, names.end());
      } else if (decoration.lookingAt()) {
        at = skipBlanks(head, decoration.end());
      } else {
        break;
      }
    }
    return new LinePrefix(source.toString(), at);
  }

  /** The name without what only ends it. */
  private static String named(String part) {
    int end = part.length();
    while (end > 0 && ":| \t".indexOf(part.charAt(end - 1)) >= 0) {
      end--;
    }
    return part.substring(0, end);
  }

  private static int skipBlanks(String text, int from) {
    int at = from;
    while (at < text.length() && text.charAt(at) <= ' ') {
      at++;
    }
    return at;
  }
}
