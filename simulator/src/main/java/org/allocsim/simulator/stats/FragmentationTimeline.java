package org.allocsim.simulator.stats;

import java.util.Arrays;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.stats.MemoryTimeline.Series;

/**
 * Which part of reserved memory was of no use over time, in bounded space. Like a {@link
 * MemoryTimeline}, whose figures it takes, it keeps the least and the greatest value of equally
 * many consecutive samples, so that no peak is lost. It must receive every effect after that
 * timeline.
 */
public final class FragmentationTimeline implements EffectListener {
  /** What is followed, as a share of reserved memory from 0 to 1; 0 while nothing is reserved. */
  public enum Share {
    /** Reserved and in no block in use: cached, or free beside blocks in use. */
    UNUSED,
    /** In blocks in use, beyond what was asked for. */
    ROUNDING
  }

  /** Buckets that are kept at most. */
  public static final int MAX_BUCKETS = 1 << 10;

  private static final int SHARES = Share.values().length;

  private final MemoryTimeline source;
  private final long[] startNanos = new long[MAX_BUCKETS];
  private final long[] startEvents = new long[MAX_BUCKETS];
  private final double[] first = new double[MAX_BUCKETS * SHARES];
  private final double[] least = new double[MAX_BUCKETS * SHARES];
  private final double[] greatest = new double[MAX_BUCKETS * SHARES];
  private final double[] last = new double[MAX_BUCKETS * SHARES];
  private final double[] current = new double[SHARES];
  private final double[] peaks = new double[SHARES];
  private int buckets;
  private long width = 1;
  private long samplesInLast;
  private long endNanos;
  private long endEvent;

  /** Follows the memory that {@code source} follows. */
  public FragmentationTimeline(MemoryTimeline source) {
    this.source = source;
  }

  /** Number of buckets in use. */
  public int bucketCount() {
    return buckets;
  }

  /** Time of a bucket's first sample, nanoseconds of the recording's clock. */
  public long startNanos(int bucket) {
    return startNanos[bucket];
  }

  /** Number of the request of a bucket's first sample, counted from 0. */
  public long startEvent(int bucket) {
    return startEvents[bucket];
  }

  /** Time of the last sample. */
  public long endNanos() {
    return endNanos;
  }

  /** Number of the request of the last sample, counted from 0. */
  public long endEvent() {
    return endEvent;
  }

  /** First value in a bucket. */
  public double first(int bucket, Share share) {
    return first[bucket * SHARES + share.ordinal()];
  }

  /** Least value in a bucket. */
  public double least(int bucket, Share share) {
    return least[bucket * SHARES + share.ordinal()];
  }

  /** Greatest value in a bucket. */
  public double greatest(int bucket, Share share) {
    return greatest[bucket * SHARES + share.ordinal()];
  }

  /** Last value in a bucket. */
  public double last(int bucket, Share share) {
    return last[bucket * SHARES + share.ordinal()];
  }

  /** Greatest value of all. */
  public double peak(Share share) {
    return peaks[share.ordinal()];
  }

  @Override
  public void blockAllocated(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
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
    sample();
  }

  @Override
  public void reservedChanged(long bytes) {
    sample();
  }

  @Override
  public void outOfMemory(OutOfMemory failure) {
    sample();
  }

  private void sample() {
    long reserved = source.currentBytes(Series.RESERVED);
    long active = source.currentBytes(Series.ACTIVE);
    long requested = source.currentBytes(Series.REQUESTED);
    current[Share.UNUSED.ordinal()] =
        reserved <= 0 ? 0 : Math.max(0, (double) (reserved - active) / reserved);
    current[Share.ROUNDING.ordinal()] =
        reserved <= 0 ? 0 : Math.max(0, (double) (active - requested) / reserved);
    if (buckets == 0 || samplesInLast == width) {
      open();
    }
    samplesInLast++;
    endNanos = source.nowNanos();
    endEvent = source.nowEvent();
    int row = (buckets - 1) * SHARES;
    for (int share = 0; share < SHARES; share++) {
      double value = current[share];
      last[row + share] = value;
      least[row + share] = Math.min(least[row + share], value);
      greatest[row + share] = Math.max(greatest[row + share], value);
      peaks[share] = Math.max(peaks[share], value);
    }
  }

  private void open() {
    if (buckets == MAX_BUCKETS) {
      halve();
    }
    int bucket = buckets++;
    samplesInLast = 0;
    startNanos[bucket] = source.nowNanos();
    startEvents[bucket] = source.nowEvent();
    System.arraycopy(current, 0, first, bucket * SHARES, SHARES);
    Arrays.fill(least, bucket * SHARES, (bucket + 1) * SHARES, Double.POSITIVE_INFINITY);
    Arrays.fill(greatest, bucket * SHARES, (bucket + 1) * SHARES, Double.NEGATIVE_INFINITY);
  }

  /** Joins pairs of neighbours; all buckets are full when this is called. */
  private void halve() {
    for (int to = 0; to < MAX_BUCKETS / 2; to++) {
      startNanos[to] = startNanos[2 * to];
      startEvents[to] = startEvents[2 * to];
      for (int share = 0; share < SHARES; share++) {
        int target = to * SHARES + share;
        int left = 2 * to * SHARES + share;
        int right = left + SHARES;
        first[target] = first[left];
        least[target] = Math.min(least[left], least[right]);
        greatest[target] = Math.max(greatest[left], greatest[right]);
        last[target] = last[right];
      }
    }
    buckets = MAX_BUCKETS / 2;
    width *= 2;
  }
}
