package org.allocsim.reports.chart.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.function.ToLongFunction;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.stats.MemoryTimeline.Mark;
import org.allocsim.simulator.stats.MemoryTimeline.Series;

/**
 * The points of a memory timeline, thinned out to the width of a chart. In every column of pixels a
 * series keeps its lowest and its highest value, so that no peak is lost. The points follow a step
 * function: a value holds until the next one.
 *
 * @param origin where the horizontal axis begins
 * @param end its right end, above 0
 * @param series points of each series
 * @param failures failed requests, at most one in a column of pixels, over the memory reserved at
 *     the time
 * @param asked the same over what would be allocated had they been served
 */
public record TimelineData(
    Origin origin, double end, List<Points> series, Points failures, Points asked) {
  private static final double NANOS_PER_SECOND = 1e9;

  /** What the horizontal axis counts. */
  enum Axis {
    /** Seconds since the first event. */
    SECONDS,
    /** Requests since the first one, for recordings without times or that are idle mostly. */
    EVENTS
  }

  /** Points of one series or of the failed requests; a y of bytes over every x. */
  public record Points(double[] x, double[] y) {
    public int count() {
      return x.length;
    }

    /** The value of the step function at a place; 0 before its first point. */
    private double at(double place) {
      int found = Arrays.binarySearch(x, place);
      int last = found >= 0 ? found : -found - 2;
      // Of points at one place the last one holds.
      while (last >= 0 && last + 1 < x.length && x[last + 1] == x[last]) {
        last++;
      }
      return last < 0 ? 0 : y[last];
    }
  }

  /**
   * Where the horizontal axis begins, and what it counts.
   *
   * @param nanos the moment that is 0 seconds
   * @param event the request that is number 0
   */
  record Origin(Axis axis, long nanos, long event) {
    /** Fewer steps are told apart on any axis. */
    private static final int MIN_BUCKETS = 100;

    /** The origin of the charts of one timeline. */
    static Origin of(MemoryTimeline timeline) {
      return of(timeline, false);
    }

    /** The same, where wanted by event. */
    static Origin of(MemoryTimeline timeline, boolean isByEvent) {
      int buckets = timeline.bucketCount();
      return buckets == 0
          ? new Origin(Axis.EVENTS, 0, 0)
          : new Origin(
              isByEvent
                  ? Axis.EVENTS
                  : axis(buckets, timeline::startNanos, timeline.endNanos(buckets - 1)),
              timeline.startNanos(0),
              timeline.startEvent(0));
    }

    /**
     * What the axis of a timeline counts: seconds, unless there are none, or one pause is longer
     * than all else, beside which everything would be a hairline.
     */
    static Axis axis(int buckets, IntToLongFunction startNanos, long endNanos) {
      long spanNanos = endNanos - startNanos.applyAsLong(0);
      if (spanNanos <= 0) {
        return Axis.EVENTS;
      }
      for (int bucket = 1; bucket < buckets && buckets >= MIN_BUCKETS; bucket++) {
        long pauseNanos = startNanos.applyAsLong(bucket) - startNanos.applyAsLong(bucket - 1);
        if (pauseNanos > spanNanos / 2) {
          return Axis.EVENTS;
        }
      }
      return Axis.SECONDS;
    }

    /** Place of a moment. */
    double x(long atNanos, long atEvent) {
      return axis == Axis.SECONDS ? (atNanos - nanos) / NANOS_PER_SECOND : atEvent - event;
    }
  }

  /**
   * Thins a timeline out.
   *
   * @param columns width of the plot in pixels
   */
  public static TimelineData of(MemoryTimeline timeline, int columns) {
    return of(timeline, columns, Origin.of(timeline));
  }

  /** Thins a timeline out that shares its horizontal axis with others. */
  public static TimelineData of(MemoryTimeline timeline, int columns, Origin origin) {
    int buckets = timeline.bucketCount();
    if (buckets == 0) {
      Points none = new Points(new double[0], new double[0]);
      return new TimelineData(origin, 1, List.of(none, none, none, none), none, none);
    }
    Clock clock = new Clock(timeline, origin);
    double end = clock.end(buckets - 1);
    List<Points> series = new ArrayList<>();
    for (Series each : Series.values()) {
      series.add(thin(timeline, each, clock, end, columns));
    }
    return new TimelineData(
        origin,
        end > 0 ? end : 1,
        series,
        failures(clock, end, columns, Mark::reservedBytes),
        failures(clock, end, columns, mark -> mark.allocatedBytes() + mark.requestedBytes()));
  }

  private static Points thin(
      MemoryTimeline timeline, Series series, Clock clock, double end, int columns) {
    Path path = new Path();
    int buckets = timeline.bucketCount();
    int bucket = 0;
    while (bucket < buckets) {
      double x = clock.start(bucket);
      int column = column(x, end, columns);
      long lowest = Long.MAX_VALUE;
      long greatest = Long.MIN_VALUE;
      long last = 0;
      int spanning = -1;
      while (bucket < buckets && column(clock.start(bucket), end, columns) == column) {
        if (column(clock.end(bucket), end, columns) == column) {
          lowest = Math.min(lowest, timeline.minBytes(bucket, series));
          greatest = Math.max(greatest, timeline.greatestBytes(bucket, series));
          last = timeline.lastBytes(bucket, series);
        } else {
          last = timeline.firstBytes(bucket, series);
          lowest = Math.min(lowest, last);
          greatest = Math.max(greatest, last);
          spanning = bucket;
        }
        bucket++;
      }
      path.step(x, lowest, greatest, last);
      if (spanning >= 0) {
        // Where between its ends the extremes of a bucket lie is not known: they are drawn last.
        path.step(
            clock.end(spanning),
            timeline.minBytes(spanning, series),
            timeline.greatestBytes(spanning, series),
            timeline.lastBytes(spanning, series));
      }
    }
    path.hold(end > 0 ? end : 1);
    return path.points();
  }

  private static Points failures(
      Clock clock, double end, int columns, ToLongFunction<Mark> bytesOfMark) {
    Path path = new Path();
    int lastColumn = -1;
    for (Mark mark : clock.timeline().marks()) {
      double x = clock.origin().x(mark.nanos(), mark.event());
      int column = column(x, end, columns);
      if (column != lastColumn) {
        path.append(x, bytesOfMark.applyAsLong(mark));
        lastColumn = column;
      }
    }
    return path.points();
  }

  private static int column(double x, double end, int columns) {
    return end <= 0 ? 0 : (int) Math.clamp(x / end * columns, 0, columns - 1);
  }

  /** What the horizontal axis counts. */
  Axis axis() {
    return origin.axis();
  }

  /** Place of a moment on the horizontal axis. */
  double x(long nanos, long event) {
    return origin.x(nanos, event);
  }

  Points series(Series which) {
    return series.get(which.ordinal());
  }

  /**
   * Whether an eye can distinguish two series: somewhere they differ by so much for more than a
   * column of pixels.
   *
   * @param columns width of the plot in pixels
   */
  boolean areDistinct(Series one, Series other, int columns, double minBytes) {
    int distinct = 0;
    for (int column = 0; column < columns && distinct < 2; column++) {
      double place = (column + 0.5) / columns * end;
      boolean differ = Math.abs(series(one).at(place) - series(other).at(place)) >= minBytes;
      distinct = differ ? distinct + 1 : 0;
    }
    return distinct == 2;
  }

  /** Horizontal places of buckets and marks. */
  private record Clock(MemoryTimeline timeline, Origin origin) {
    double start(int bucket) {
      return origin.x(timeline.startNanos(bucket), timeline.startEvent(bucket));
    }

    double end(int bucket) {
      return origin.x(timeline.endNanos(bucket), timeline.endEvent(bucket));
    }
  }

  /** A growing step function. */
  private static final class Path {
    private double[] x = new double[256];
    private double[] y = new double[256];
    private int count;

    /** Steps from the present value over the lowest and the highest to the last one. */
    void step(double at, long lowest, long highest, long last) {
      double before = count == 0 ? last : y[count - 1];
      if (count > 0) {
        add(at, before);
      }
      // Ends where the pen need not go back over what it has drawn.
      boolean upFirst = Math.abs(last - lowest) < Math.abs(last - highest);
      add(at, upFirst ? highest : lowest);
      add(at, upFirst ? lowest : highest);
      add(at, last);
    }

    void hold(double until) {
      add(until, y[count - 1]);
    }

    /** Appends a point of the path; runs of points on one level keep only their ends. */
    void add(double atX, double atY) {
      if (count > 0 && x[count - 1] == atX && y[count - 1] == atY) {
        return;
      }
      if (count > 1 && y[count - 1] == atY && y[count - 2] == atY) {
        x[count - 1] = atX;
        return;
      }
      append(atX, atY);
    }

    void append(double atX, double atY) {
      if (count == x.length) {
        x = Arrays.copyOf(x, count * 2);
        y = Arrays.copyOf(y, count * 2);
      }
      x[count] = atX;
      y[count] = atY;
      count++;
    }

    Points points() {
      return new Points(Arrays.copyOf(x, count), Arrays.copyOf(y, count));
    }
  }
}
