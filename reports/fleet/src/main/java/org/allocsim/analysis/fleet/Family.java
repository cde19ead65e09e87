package org.allocsim.analysis.fleet;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.allocsim.analysis.fleet.sweep.SweepException;

/** Which traces count as the same kind of workload. */
public final class Family {
  private static final long GIB = 1L << 30;
  private static final Pattern ANY = Pattern.compile("");
  private static final String OTHERS = "(others)";

  private enum Kind {
    FOLDER,
    SIZE,
    NAME
  }

  private final Kind kind;

  /** Looked for in names; matches any where the family is not by name. */
  private final Pattern pattern;

  private Family(Kind kind, Pattern pattern) {
    this.kind = kind;
    this.pattern = pattern;
  }

  /**
   * A rule from its text: {@code folder} is the folder that a file lies in, {@code size} a class of
   * what the program asks for at its peak; else it is a regular expression that is looked for in
   * the file's name, whose first group, or else the whole match, is the family.
   *
   * @throws SweepException where the text is none of these
   */
  public static Family of(String text) {
    switch (text) {
      case "folder" -> {
        return new Family(Kind.FOLDER, ANY);
      }
      case "size" -> {
        return new Family(Kind.SIZE, ANY);
      }
      default -> {
        try {
          return new Family(Kind.NAME, Pattern.compile(text));
        } catch (PatternSyntaxException e) {
          throw SweepException.usage(
              "--family " + text + ": not a regular expression (" + e.getDescription() + ")");
        }
      }
    }
  }

  /** The family of a trace that asks for so much at its peak. */
  String of(String file, long peakRequestedBytes) {
    return switch (kind) {
      case FOLDER -> {
        int slash = file.lastIndexOf('/');
        int before = slash < 0 ? -1 : file.lastIndexOf('/', slash - 1);
        yield slash < 0 ? "." : file.substring(before + 1, slash);
      }
      case SIZE -> sizeClass(peakRequestedBytes);
      case NAME -> {
        Matcher matcher = pattern.matcher(file);
        if (!matcher.find()) {
          yield OTHERS;
        }
        String group = matcher.groupCount() > 0 ? matcher.group(1) : matcher.group();
        yield group == null ? OTHERS : group;
      }
    };
  }

  private static String sizeClass(long bytes) {
    if (bytes < GIB) {
      return "below 1 GiB";
    }
    for (long top = 4 * GIB; top <= 64 * GIB; top *= 4) {
      if (bytes < top) {
        return top / 4 / GIB + " to " + top / GIB + " GiB";
      }
    }
    return "64 GiB and more";
  }
}
