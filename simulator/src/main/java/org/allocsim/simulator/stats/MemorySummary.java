package org.allocsim.simulator.stats;

/**
 * The text of {@code torch.cuda.memory_summary()}, character for character (PyTorch 2.11). Every
 * row of a metric takes its unit from the row over all memory.
 */
public final class MemorySummary {
  private static final String[] SIZE_UNITS = {"B  ", "KiB", "MiB", "GiB", "TiB", "PiB"};
  private static final String[] COUNT_UNITS = {" ", "K", "M"};
  private static final String[] COLUMNS = {"current", "peak", "allocated", "freed"};
  private static final String DOUBLE_BAR = "=".repeat(75);
  private static final String BAR = "-".repeat(75);

  private static final Metric[] METRICS = {
    new Metric("allocated_bytes", "Allocated memory", true),
    new Metric("active_bytes", "Active memory", true),
    new Metric("requested_bytes", "Requested memory", true),
    new Metric("reserved_bytes", "GPU reserved memory", true),
    new Metric("inactive_split_bytes", "Non-releasable memory", true),
    new Metric("allocation", "Allocations", false),
    new Metric("active", "Active allocs", false),
    new Metric("segment", "GPU reserved segments", false),
    new Metric("inactive_split", "Non-releasable allocs", false),
  };

  private record Metric(String key, String caption, boolean isSize) {
    String cell(long value, long reference) {
      return isSize ? sizeCell(value, reference) : countCell(value, reference);
    }
  }

  private MemorySummary() {}

  /**
   * The summary of one device; it ends with a line break.
   *
   * @param stats where the values come from
   * @param deviceIndex number of the device in the title
   * @param abbreviated whether to leave out the rows of the small and the large pool
   */
  public static String format(StatsView stats, int deviceIndex, boolean abbreviated) {
    StringBuilder text = new StringBuilder(4096);
    line(text, DOUBLE_BAR);
    line(
        text,
        " ".repeat(17) + " PyTorch CUDA memory summary, device ID " + left(deviceIndex, 17) + " ");
    line(text, BAR);
    line(
        text,
        " ".repeat(11)
            + " CUDA OOMs: "
            + left(stats.get("num_ooms"), 12)
            + " | "
            + " ".repeat(6)
            + " cudaMalloc retries: "
            + left(stats.get("num_alloc_retries"), 8)
            + "  ");
    line(text, DOUBLE_BAR);
    line(text, "        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  ");
    for (Metric metric : METRICS) {
      line(text, BAR);
      String all = metric.key + ".all.";
      row(text, stats, metric, metric.caption, all, all);
      if (!abbreviated) {
        row(text, stats, metric, "      from large pool", metric.key + ".large_pool.", all);
        row(text, stats, metric, "      from small pool", metric.key + ".small_pool.", all);
      }
    }
    single(text, stats, new Metric("oversize_allocations.", "Oversize allocations", false));
    single(text, stats, new Metric("oversize_segments.", "Oversize GPU segments", false));
    line(text, DOUBLE_BAR);
    return text.toString();
  }

  private static void single(StringBuilder text, StatsView stats, Metric metric) {
    line(text, BAR);
    row(text, stats, metric, metric.caption, metric.key, metric.key);
  }

  private static void row(
      StringBuilder text,
      StatsView stats,
      Metric metric,
      String caption,
      String prefix,
      String referencePrefix) {
    StringBuilder row = new StringBuilder(80);
    row.append(' ').append(caption).append(" ".repeat(Math.max(0, 21 - caption.length())));
    for (String column : COLUMNS) {
      long value = stats.get(prefix + column);
      long reference = stats.get(referencePrefix + column);
      row.append(" | ").append(metric.cell(value, reference));
    }
    line(text, row.append(' '));
  }

  private static void line(StringBuilder text, CharSequence content) {
    text.append('|').append(content).append("|\n");
  }

  private static String left(long value, int width) {
    String digits = Long.toString(value);
    return digits + " ".repeat(Math.max(0, width - digits.length()));
  }

  private static String right(long value, int width) {
    String digits = Long.toString(value);
    return " ".repeat(Math.max(0, width - digits.length())) + digits;
  }

  /** A byte count in ten characters, in the unit that suits {@code reference}. */
  static String sizeCell(long bytes, long reference) {
    int unit = 0;
    long value = bytes;
    double remaining = reference;
    while (remaining >= 768 * 1024) {
      unit++;
      value = Math.floorDiv(value, 1024L);
      remaining /= 1024;
    }
    return right(value, 6) + " " + SIZE_UNITS[unit];
  }

  /** A count in ten characters, in the unit that suits {@code reference}. */
  static String countCell(long count, long reference) {
    int unit = 0;
    long value = count;
    double remaining = reference;
    while (unit < COUNT_UNITS.length - 1 && remaining >= 750 * 1000) {
      unit++;
      value = Math.floorDiv(value, 1000L);
      remaining /= 1000;
    }
    return right(value, 7) + " " + COUNT_UNITS[unit] + " ";
  }
}
