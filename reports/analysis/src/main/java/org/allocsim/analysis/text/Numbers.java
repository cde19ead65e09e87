package org.allocsim.analysis.text;

import java.util.Locale;
import org.allocsim.simulator.stats.ByteFormat;

/** Writes counts, sizes, shares and times for people. */
public final class Numbers {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MIN_SHOWN_RATIO = -10;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double NANOS_PER_MILLI = 1e6;

  private Numbers() {}

  /** A count with thousands separated by spaces. */
  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number).replace(',', ' ');
  }

  /** A count and its noun, in the plural unless it is one. */
  public static String count(long number, String noun) {
    return count(number) + " " + noun + (number == 1 ? "" : "s");
  }

  /** A size with its exact bytes after it where the short form rounds. */
  public static String bytes(long bytes) {
    String text = ByteFormat.human(bytes);
    return text.endsWith(" B") ? text : text + " (" + count(bytes) + " B)";
  }

  /** A share of a whole in percent with one decimal, or a dash where the whole is nothing. */
  public static String share(long part, long whole) {
    return whole <= 0 ? "-" : percent((double) part / whole);
  }

  /**
   * A ratio in percent with one decimal, or a dash where it is undefined. Savings and changes below
   * -1000 % are only said to be below, as their digits say nothing and would widen whole tables.
   */
  public static String percent(double ratio) {
    if (!Double.isFinite(ratio)) {
      return "-";
    }
    if (ratio < MIN_SHOWN_RATIO) {
      return "below -1000 %";
    }
    return String.format(Locale.ROOT, "%.1f %%", 100 * ratio);
  }

  /** A duration in seconds with three decimals. */
  public static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.3f s", nanos / NANOS_PER_SECOND);
  }

  /** A duration in the unit that suits it, with three or four digits. */
  public static String duration(long nanos) {
    double seconds = nanos / NANOS_PER_SECOND;
    if (nanos >= NANOS_PER_SECOND) {
      return String.format(Locale.ROOT, seconds < 100 ? "%.2f s" : "%.0f s", seconds);
    }
    if (nanos >= NANOS_PER_MILLI) {
      double millis = nanos / NANOS_PER_MILLI;
      return String.format(
          Locale.ROOT, millis < 10 ? "%.2f ms" : millis < 100 ? "%.1f ms" : "%.0f ms", millis);
    }
    return String.format(Locale.ROOT, "%.1f µs", nanos / NANOS_PER_MICRO);
  }

  /** Milliseconds, to the microsecond. */
  public static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.3f ms", nanos / NANOS_PER_MILLI);
  }
}
