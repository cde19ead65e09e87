package org.allocsim.simulator.stats;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;

/**
 * How much memory was requested, allocated, active and reserved over time, in bounded space.
 *
 * <p>Every change of a figure is a sample. Samples are kept in buckets of equally many consecutive
 * samples, first of one each; when the buckets run out, pairs of neighbours are joined and the
 * width doubles. A bucket keeps the first, the least, the greatest and the last value of each
 * series, so no peak is ever lost, only its place inside the bucket.
 *
 * <p>The engine passes the time of each request through {@link #at(long)} before the policy serves
 * it.
 */
public final class MemoryTimeline implements EffectListener {
  /** What is followed, in bytes. */
  public enum Series {
    /** What the program asked for, of the blocks in use. */
    REQUESTED,
    /** Blocks handed out, after rounding. */
    ALLOCATED,
    /** Blocks handed out or waiting for other streams. */
    ACTIVE,
    /** Memory held from the device. */
    RESERVED
  }

  /**
   * The moment of a failed request.
   *
   * @param nanos its time
   * @param event its number, counted over all requests from 0
   * @param reservedBytes memory that was reserved
   * @param allocatedBytes memory that was allocated
   * @param requestedBytes what it asked for
   */
  public record Mark(
      long nanos, long event, long reservedBytes, long allocatedBytes, long requestedBytes) {}

  /** Buckets that a timeline keeps by default. */
  public static final int DEFAULT_BUCKETS = 1 << 14;

  /** Failed requests whose moments are kept; later ones are only counted. */
  public static final int MAX_MARKS = 1 << 12;

  private static final int SERIES = Series.values().length;
  private static final int REQUESTED = Series.REQUESTED.ordinal();
  private static final int ALLOCATED = Series.ALLOCATED.ordinal();
  private static final int ACTIVE = Series.ACTIVE.ordinal();
  private static final int RESERVED = Series.RESERVED.ordinal();

  private final int capacity;
  private final long[] startNanos;
  private final long[] endNanos;
  private final long[] startEvents;
  private final long[] endEvents;
  private final long[] first;
  private final long[] least;
  private final long[] greatest;
  private final long[] last;
  private final long[] current = new long[SERIES];
  private final long[] peaks = new long[SERIES];
  private int buckets;
  private long width = 1;
  private long samplesInLast;
  private long timeNanos;
  private long event = -1;

  private long failures;
  private final List<Mark> marks = new ArrayList<>();

  /** A timeline of {@link #DEFAULT_BUCKETS} buckets. */
  public MemoryTimeline() {
    this(DEFAULT_BUCKETS);
  }

  /**
   * A timeline that keeps at most this many buckets.
   *
   * @param buckets an even number of at least 2
   */
  public MemoryTimeline(int buckets) {
    if (buckets < 2 || buckets % 2 != 0) {
      throw new IllegalArgumentException("a timeline needs an even number of buckets");
    }
    capacity = buckets;
    startNanos = new long[buckets];
    endNanos = new long[buckets];
    startEvents = new long[buckets];
    endEvents = new long[buckets];
    first = new long[buckets * SERIES];
    least = new long[buckets * SERIES];
    greatest = new long[buckets * SERIES];
    last = new long[buckets * SERIES];
  }

  /** The next request happens at this time, in nanoseconds of the recording's clock. */
  public void at(long timeNanos) {
    this.timeNanos = timeNanos;
    if (event < 0) {
      // What an allocator takes when it is made belongs to the moment of the first request.
      Arrays.fill(startNanos, 0, buckets, timeNanos);
      Arrays.fill(endNanos, 0, buckets, timeNanos);
    }
    event++;
  }

  /** Time of the request that is being served. */
  public long nowNanos() {
    return timeNanos;
  }

  /** Number of the request that is being served, counted from 0. */
  public long nowEvent() {
    return Math.max(event, 0);
  }

  /** Declares the memory that was there before the first request; the first sample. */
  public void startWith(
      long requestedBytes, long allocatedBytes, long activeBytes, long reservedBytes) {
    current[REQUESTED] = requestedBytes;
    current[ALLOCATED] = allocatedBytes;
    current[ACTIVE] = activeBytes;
    current[RESERVED] = reservedBytes;
    sample();
  }

  /** Number of buckets in use. */
  public int bucketCount() {
    return buckets;
  }

  /** Time of a bucket's first sample, nanoseconds of the recording's clock. */
  public long startNanos(int bucket) {
    return startNanos[bucket];
  }

  /** Time of a bucket's last sample, nanoseconds of the recording's clock. */
  public long endNanos(int bucket) {
    return endNanos[bucket];
  }

  /** Number of the request of a bucket's first sample, counted from 0. */
  public long startEvent(int bucket) {
    return startEvents[bucket];
  }

  /** Number of the request of a bucket's last sample, counted from 0. */
  public long endEvent(int bucket) {
    return endEvents[bucket];
  }

  /** First value of a series in a bucket. */
  public long firstBytes(int bucket, Series series) {
    return first[bucket * SERIES + series.ordinal()];
  }

  /** Least value of a series in a bucket. */
  public long minBytes(int bucket, Series series) {
    return least[bucket * SERIES + series.ordinal()];
  }

  /** Greatest value of a series in a bucket. */
  public long greatestBytes(int bucket, Series series) {
    return greatest[bucket * SERIES + series.ordinal()];
  }

  /** Last value of a series in a bucket. */
  public long lastBytes(int bucket, Series series) {
    return last[bucket * SERIES + series.ordinal()];
  }

  /** Present value of a series. */
  public long currentBytes(Series series) {
    return current[series.ordinal()];
  }

  /** Greatest value of a series so far. */
  public long peakBytes(Series series) {
    return peaks[series.ordinal()];
  }

  /** Number of failed requests. */
  public long failureCount() {
    return failures;
  }

  /** The failed requests whose moment is kept: the first {@link #MAX_MARKS}. */
  public List<Mark> marks() {
    return Collections.unmodifiableList(marks);
  }

  @Override
  public void blockAllocated(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    current[REQUESTED] += requestedBytes;
    current[ALLOCATED] += blockBytes;
    current[ACTIVE] += blockBytes;
    sample();
  }

  @Override
  public void freeRequested(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    current[ALLOCATED] -= blockBytes;
    sample();
  }

  @Override
  public void freeCompleted(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    current[REQUESTED] -= requestedBytes;
    current[ACTIVE] -= blockBytes;
    sample();
  }

  @Override
  public void outOfMemory(OutOfMemory failure) {
    if (failures < MAX_MARKS) {
      marks.add(
          new Mark(
              timeNanos,
              nowEvent(),
              current[RESERVED],
              current[ALLOCATED],
              failure.requestedBytes()));
    }
    failures++;
    sample();
  }

  @Override
  public void reservedChanged(long bytes) {
    current[RESERVED] += bytes;
    sample();
  }

  private void sample() {
    if (buckets == 0 || samplesInLast == width) {
      open();
    }
    int bucket = buckets - 1;
    samplesInLast++;
    endNanos[bucket] = timeNanos;
    endEvents[bucket] = Math.max(event, 0);
    int row = bucket * SERIES;
    for (int series = 0; series < SERIES; series++) {
      long value = current[series];
      last[row + series] = value;
      least[row + series] = Math.min(least[row + series], value);
      greatest[row + series] = Math.max(greatest[row + series], value);
      peaks[series] = Math.max(peaks[series], value);
    }
  }

  private void open() {
    if (buckets == capacity) {
      halve();
    }
    int bucket = buckets++;
    samplesInLast = 0;
    startNanos[bucket] = timeNanos;
    startEvents[bucket] = Math.max(event, 0);
    System.arraycopy(current, 0, first, bucket * SERIES, SERIES);
    Arrays.fill(least, bucket * SERIES, (bucket + 1) * SERIES, Long.MAX_VALUE);
    Arrays.fill(greatest, bucket * SERIES, (bucket + 1) * SERIES, Long.MIN_VALUE);
  }

  /** Joins pairs of neighbours; all buckets are full when this is called. */
  private void halve() {
    for (int to = 0; to < capacity / 2; to++) {
      int from = 2 * to;
      startNanos[to] = startNanos[from];
      startEvents[to] = startEvents[from];
      endNanos[to] = endNanos[from + 1];
      endEvents[to] = endEvents[from + 1];
      for (int series = 0; series < SERIES; series++) {
        int target = to * SERIES + series;
        int left = from * SERIES + series;
        int right = left + SERIES;
        first[target] = first[left];
        least[target] = Math.min(least[left], least[right]);
        greatest[target] = Math.max(greatest[left], greatest[right]);
        last[target] = last[right];
      }
    }
    buckets = capacity / 2;
    width *= 2;
  }
}
