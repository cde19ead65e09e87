package org.allocsim.workloads.format.bfclog;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the log messages of a line: what stands after the prefixes of glog (absl), of TensorFlow's
 * own logger, or a short form with the thread and line by name. Threads and other programs write
 * into each other's lines, so that one line may hold several messages, or one and foreign text.
 */
final class LogMessages {
  /** Thread of a message whose prefix does not name it. */
  static final long UNKNOWN_THREAD = -1;

  /** Time of a message without a prefix. */
  static final long UNKNOWN_TIME = -1;

  private static final long NANOS_PER_SECOND = 1_000_000_000L;
  private static final String CLOCK = "(\\d{2}):(\\d{2}):(\\d{2})\\.(\\d{6})";

  /** Month, day, clock and thread; or year, month, day and clock; or seconds since 1970. */
  private static final Pattern PREFIX =
      Pattern.compile(
          "[IWEF]0000 00:00:(\\d{9,12})\\.(\\d{6}) +(\\d{1,18}) [^ \\]:]+:\\d+\\] "
              + "|[IWEF]?(\\d{2})(\\d{2}) "
              + CLOCK
              + "(?: +(\\d{1,18}) [^ \\]:]+:\\d+\\] | tid=(\\d{1,18}) line=\\d+ )"
              + "|\\d{4}-(\\d{2})-(\\d{2}) "
              + CLOCK
              + ": [IWEF] [^ \\]:]+:\\d+\\] ");

  /** Takes the messages. */
  interface Sink {
    /**
     * A message.
     *
     * @param timeNanos time of some clock, {@link #UNKNOWN_TIME} without a prefix
     * @param thread its writer, or {@link #UNKNOWN_THREAD}
     * @param text what stands after the prefix
     */
    void message(long timeNanos, long thread, String text);
  }

  private final Matcher prefix = PREFIX.matcher("");

  /** Cuts a line. Text before the first prefix is a message of its own, without time and thread. */
  void cut(String line, Sink sink) {
    prefix.reset(line);
    int start = 0;
    long time = UNKNOWN_TIME;
    long thread = UNKNOWN_THREAD;
    while (prefix.find()) {
      if (prefix.start() > start) {
        sink.message(time, thread, line.substring(start, prefix.start()).strip());
      }
      time = timeNanos();
      thread = thread();
      start = prefix.end();
    }
    if (start < line.length()) {
      sink.message(time, thread, line.substring(start).strip());
    }
  }

  private long timeNanos() {
    if (prefix.group(1) != null) {
      return number(1) * NANOS_PER_SECOND + number(2) * 1000;
    }
    return prefix.group(4) != null ? timeNanos(4) : timeNanos(12);
  }

  /** Time of month, day and clock in consecutive groups; months count as 31 days. */
  private long timeNanos(int first) {
    long day = number(first) * 31 + number(first + 1);
    long seconds =
        ((day * 24 + number(first + 2)) * 60 + number(first + 3)) * 60 + number(first + 4);
    return seconds * NANOS_PER_SECOND + number(first + 5) * 1000;
  }

  private long thread() {
    for (int group : new int[] {3, 10, 11}) {
      if (prefix.group(group) != null) {
        return number(group);
      }
    }
    return UNKNOWN_THREAD;
  }

  private long number(int group) {
    return Long.parseLong(prefix.group(group));
  }
}
