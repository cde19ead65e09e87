package org.allocsim.reports.chart.comparison;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.allocsim.reports.chart.ByteAxis;
import org.allocsim.reports.chart.QuantityScale;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * How many allocations there are of each size, or of each lifetime, and what they come to in bytes.
 *
 * @param binLabels lower end of each bin, with its unit
 * @param froms lower end of each bin as a number, −1 for those that are never freed
 * @param unit what these numbers count
 * @param counts allocations in each bin
 * @param bytes what they asked for
 * @param quantity what the bins distinguish, for the axis
 */
@SuppressWarnings("ArrayRecordComponent")
public record Histogram(
    List<String> binLabels, long[] froms, Unit unit, long[] counts, long[] bytes, String quantity) {
  /** What the bins distinguish. */
  public enum Unit {
    /** Bytes asked for. */
    BYTES("from_bytes"),
    /** Nanoseconds from an allocation to its free. */
    NANOS("from_nanos"),
    /** Requests from an allocation to its free. */
    REQUESTS("from_requests");

    private final String key;

    Unit(String key) {
      this.key = key;
    }

    /** Key of a bin's lower end in JSON. */
    public String key() {
      return key;
    }
  }

  private static final int SIZE_BINS = 63;

  /** Lifetimes of a nanosecond to a thousand seconds and more, three bins to a power of ten. */
  private static final double[] STEPS = {1, 2, 5};

  private static final int TIME_BINS = 3 * 13;

  /** Label of the bin of allocations that are never freed. */
  public static final String NEVER = "never freed";

  /** Sizes asked for on one device; a bin begins at a power of two and ends before the next. */
  public static Histogram ofSizes(AllocationTrace trace, int device) {
    long[] counts = new long[SIZE_BINS];
    long[] bytes = new long[SIZE_BINS];
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) == device && isAllocation(trace.kind(event))) {
        long size = trace.bytes(event);
        int bin = 63 - Long.numberOfLeadingZeros(Math.max(1, size));
        counts[bin]++;
        bytes[bin] += size;
      }
    }
    String[] labels = new String[SIZE_BINS];
    Arrays.setAll(labels, bin -> ByteAxis.label(Math.pow(2, bin)));
    long[] froms = new long[SIZE_BINS];
    Arrays.setAll(froms, bin -> 1L << bin);
    return trimmed(labels, froms, Unit.BYTES, counts, bytes, -1, "requested size, from");
  }

  /**
   * Times from an allocation to its free on one device; in requests between them where the trace
   * has no times.
   */
  public static Histogram ofLifetimes(AllocationTrace trace, int device) {
    boolean timed = isTimed(trace);
    long[] births = new long[trace.allocationCount()];
    long[] sizes = new long[trace.allocationCount()];
    Arrays.fill(births, Long.MIN_VALUE);
    long[] counts = new long[TIME_BINS + 1];
    long[] bytes = new long[TIME_BINS + 1];
    long requests = 0;
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) != device) {
        continue;
      }
      requests++;
      int allocation = trace.allocation(event);
      long now = timed ? trace.timeNanos(event) : requests;
      if (isAllocation(trace.kind(event))) {
        births[allocation] = now;
        sizes[allocation] = trace.bytes(event);
      } else if (trace.kind(event) == RequestKind.FREE && births[allocation] != Long.MIN_VALUE) {
        int bin = timeBin(now - births[allocation]);
        counts[bin]++;
        bytes[bin] += sizes[allocation];
        births[allocation] = Long.MIN_VALUE;
      }
    }
    for (int allocation = 0; allocation < births.length; allocation++) {
      if (births[allocation] != Long.MIN_VALUE) {
        counts[TIME_BINS]++;
        bytes[TIME_BINS] += sizes[allocation];
      }
    }
    String[] labels = new String[TIME_BINS + 1];
    Arrays.setAll(labels, bin -> bin == TIME_BINS ? NEVER : timeLabel(bin, timed));
    long[] froms = new long[TIME_BINS + 1];
    Arrays.setAll(froms, bin -> bin == TIME_BINS ? -1 : bin == 0 ? 0 : Math.round(firstOf(bin)));
    return trimmed(
        labels,
        froms,
        timed ? Unit.NANOS : Unit.REQUESTS,
        counts,
        bytes,
        TIME_BINS,
        timed ? "lifetime, from" : "lifetime in requests, from");
  }

  /** Where most allocations and most bytes are, as a title. */
  public String finding() {
    if (counts.length == 0) {
      return "Nothing was allocated";
    }
    int few = 0;
    for (long seen = counts[0]; 2 * seen <= Arrays.stream(counts).sum(); seen += counts[few]) {
      few++;
    }
    int many = bytes.length - 1;
    for (long seen = bytes[many];
        many > 0 && 2 * seen <= Arrays.stream(bytes).sum();
        seen += bytes[many]) {
      many--;
    }
    boolean isSize = unit == Unit.BYTES;
    String most = "Most allocations ";
    if (froms[few] < 0) {
      most += "are never freed";
    } else if (few + 1 < froms.length && froms[few + 1] >= 0) {
      most += (isSize ? "are smaller than " : "live less than ") + bound(few + 1);
    } else {
      most += isSize ? "have " + bound(few) + " or more" : "are freed";
    }
    String heavy =
        froms[many] < 0
            ? "; most bytes are never freed"
            : isSize
                ? "; most bytes are in allocations of " + bound(many) + " or more"
                : "; most bytes live " + bound(many) + " or longer";
    return froms[many] == 0 ? most : most + heavy;
  }

  private String bound(int bin) {
    return binLabels.get(bin) + (unit == Unit.REQUESTS ? " requests" : "");
  }

  private static boolean isTimed(AllocationTrace trace) {
    int rows = trace.eventCount();
    return rows > 0 && trace.timeNanos(rows - 1) > trace.timeNanos(0);
  }

  private static boolean isAllocation(RequestKind kind) {
    return kind == RequestKind.ALLOCATE || kind == RequestKind.RESTORE_BLOCK;
  }

  private static String timeLabel(int bin, boolean timed) {
    if (bin == 0) {
      return "0";
    }
    double from = firstOf(bin);
    if (timed) {
      return QuantityScale.time(from);
    }
    return String.valueOf(Math.round(from));
  }

  private static double firstOf(int bin) {
    int decade = bin / 3;
    return STEPS[bin % 3] * Math.pow(10, decade);
  }

  private static int timeBin(long value) {
    int bin = 0;
    while (bin + 1 < TIME_BINS && value >= firstOf(bin + 1)) {
      bin++;
    }
    return bin;
  }

  /**
   * Without the empty bins at both ends, and without those between 0, which has no place on a scale
   * of powers, and the next one; the bin {@code kept} stays last where it has something.
   */
  private static Histogram trimmed(
      String[] labels,
      long[] froms,
      Unit unit,
      long[] counts,
      long[] bytes,
      int kept,
      String quantity) {
    int end = kept < 0 ? counts.length : kept;
    int last = end - 1;
    while (last >= 0 && counts[last] == 0) {
      last--;
    }
    int first = froms[0] == 0 ? 1 : 0;
    while (first <= last && counts[first] == 0) {
      first++;
    }
    IntStream inner = IntStream.rangeClosed(first, last);
    IntStream zero = IntStream.range(0, froms[0] == 0 && counts[0] > 0 ? 1 : 0);
    IntStream after = IntStream.range(end, kept >= 0 && counts[kept] > 0 ? end + 1 : end);
    int[] bins = IntStream.concat(IntStream.concat(zero, inner), after).toArray();
    return new Histogram(
        IntStream.of(bins).mapToObj(bin -> labels[bin]).toList(),
        IntStream.of(bins).mapToLong(bin -> froms[bin]).toArray(),
        unit,
        IntStream.of(bins).mapToLong(bin -> counts[bin]).toArray(),
        IntStream.of(bins).mapToLong(bin -> bytes[bin]).toArray(),
        quantity);
  }
}
