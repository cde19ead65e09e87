package org.allocsim.analysis.oom;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Allocator settings of the failed run.
 *
 * @param text a {@code PYTORCH_CUDA_ALLOC_CONF} string, "" where nothing is known
 * @param origin where they are from, for people
 */
public record OomSettings(String text, String origin) {
  /** Nothing is known about the settings. */
  public static final OomSettings UNKNOWN = new OomSettings("", "");

  private static final Pattern ASSIGNMENT =
      Pattern.compile(
          "PYTORCH_(?:CUDA_|HIP_)?ALLOC_CONF[\"'\\])]{0,4}\\s{0,4}[=:,]\\s{0,4}[\"']?"
              + "([a-z][a-z_0-9]{2,60}:[\\w.:,>\\[\\]-]{1,400})");

  /** The settings that a line of a log assigns, or null. PyTorch's own hint is no assignment. */
  static @Nullable OomSettings assignedIn(String line, long number) {
    Matcher matcher = ASSIGNMENT.matcher(line);
    while (matcher.find()) {
      String before = line.substring(Math.max(0, matcher.start() - 24), matcher.start());
      String after = line.substring(matcher.end(), Math.min(line.length(), matcher.end() + 24));
      if (!before.stripTrailing().endsWith("try setting")
          && !after.stripLeading().startsWith("to ")) {
        return new OomSettings(matcher.group(1), "line " + number + " of the log");
      }
    }
    return null;
  }

  /** Whether anything is known. */
  public boolean isKnown() {
    return !text.isEmpty();
  }

  boolean isExpandable() {
    return text.replace(" ", "").contains("expandable_segments:True");
  }

  boolean isSplitLimited() {
    return text.contains("max_split_size_mb");
  }
}
