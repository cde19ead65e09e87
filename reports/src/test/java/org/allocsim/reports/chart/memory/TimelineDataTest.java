package org.allocsim.reports.chart.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.stats.MemoryTimeline.Series;
import org.junit.jupiter.api.Test;

class TimelineDataTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void valuesHoldUntilTheNextOne() {
    MemoryTimeline timeline = new MemoryTimeline();
    timeline.at(5 * SECOND);
    timeline.segmentAllocated(0, 100, 0, false);
    timeline.at(7 * SECOND);
    timeline.segmentAllocated(0, 300, 0, false);
    timeline.at(9 * SECOND);
    timeline.segmentFreed(0, 400, 0, false);
    TimelineData data = TimelineData.of(timeline, 100);
    assertEquals(TimelineData.Axis.SECONDS, data.axis());
    assertEquals(4, data.end());
    TimelineData.Points reserved = data.series(Series.RESERVED);
    assertArrayEquals(new double[] {0, 2, 2, 4, 4}, reserved.x());
    assertArrayEquals(new double[] {100, 100, 400, 400, 0}, reserved.y());
  }

  @Test
  void withoutTimesRequestsAreCounted() {
    MemoryTimeline timeline = new MemoryTimeline();
    for (int i = 0; i < 5; i++) {
      timeline.at(0);
      timeline.segmentAllocated(0, 10, 0, false);
    }
    TimelineData data = TimelineData.of(timeline, 100);
    assertEquals(TimelineData.Axis.EVENTS, data.axis());
    assertEquals(4, data.end());
  }

  @Test
  void whereOnePauseIsLongerThanAllElseRequestsAreCounted() {
    for (long pause : new long[] {100, 400}) {
      MemoryTimeline timeline = new MemoryTimeline();
      for (int i = 0; i < 200; i++) {
        timeline.at((i < 100 ? i : i + pause) * SECOND);
        timeline.segmentAllocated(0, 10, 0, false);
      }
      assertEquals(
          pause == 400 ? TimelineData.Axis.EVENTS : TimelineData.Axis.SECONDS,
          TimelineData.of(timeline, 100).axis(),
          "pause of " + pause + " s in a program of 200 s");
    }
  }

  @Test
  void nothingAtAllHasAnAxisAndNoPoints() {
    TimelineData data = TimelineData.of(new MemoryTimeline(), 100);
    assertEquals(1, data.end());
    for (Series series : Series.values()) {
      assertEquals(0, data.series(series).count());
    }
    assertEquals(0, data.failures().count());
  }

  @Test
  void oneEventIsDrawnOverTheWholeAxis() {
    MemoryTimeline timeline = new MemoryTimeline();
    timeline.at(SECOND);
    timeline.segmentAllocated(0, 100, 0, false);
    TimelineData data = TimelineData.of(timeline, 100);
    assertEquals(1, data.end());
    assertArrayEquals(new double[] {0, 1}, data.series(Series.RESERVED).x());
    assertArrayEquals(new double[] {100, 100}, data.series(Series.RESERVED).y());
  }

  @Test
  void thinningOutLosesNoExtremeOfAnyColumn() {
    int columns = 20;
    for (int seed = 0; seed < 30; seed++) {
      Random random = new Random(seed);
      MemoryTimeline timeline = new MemoryTimeline();
      double[] lowest = new double[columns];
      double[] highest = new double[columns];
      Arrays.fill(lowest, Double.MAX_VALUE);
      long reserved = 0;
      int samples = 2_000;
      for (int i = 0; i < samples; i++) {
        timeline.at(i * SECOND);
        long bytes = 1 + random.nextLong(1_000);
        boolean free = reserved > bytes && random.nextBoolean();
        if (free) {
          timeline.segmentFreed(0, bytes, 0, false);
        } else {
          timeline.segmentAllocated(0, bytes, 0, false);
        }
        reserved += free ? -bytes : bytes;
        int column = Math.min(columns - 1, (int) ((double) i / (samples - 1) * columns));
        lowest[column] = Math.min(lowest[column], reserved);
        highest[column] = Math.max(highest[column], reserved);
      }
      TimelineData.Points points = TimelineData.of(timeline, columns).series(Series.RESERVED);
      assertTrue(points.count() <= 5 * columns + 1, "points " + points.count());
      for (int column = 0; column < columns; column++) {
        assertTrue(contains(points, lowest[column]), "seed " + seed + " column " + column);
        assertTrue(contains(points, highest[column]), "seed " + seed + " column " + column);
      }
    }
  }

  @Test
  void pathsNeverRunBackInTime() {
    Random random = new Random(3);
    MemoryTimeline timeline = new MemoryTimeline(64);
    long time = 0;
    for (int i = 0; i < 5_000; i++) {
      time += random.nextInt(100) == 0 ? SECOND * random.nextInt(50) : random.nextInt(1_000);
      timeline.at(time);
      timeline.segmentAllocated(0, 1 + random.nextInt(10), 0, false);
    }
    double[] x = TimelineData.of(timeline, 50).series(Series.RESERVED).x();
    for (int i = 1; i < x.length; i++) {
      assertTrue(x[i] >= x[i - 1], "point " + i);
    }
  }

  @Test
  void joinedSamplesKeepTheirTimes() {
    MemoryTimeline timeline = new MemoryTimeline(2);
    long[] seconds = {0, 10, 11, 50};
    for (long second : seconds) {
      timeline.at(second * SECOND);
      timeline.segmentAllocated(0, 100, 0, false);
    }
    // Two buckets: seconds 0 and 10, seconds 11 and 50; a value holds until the next one.
    TimelineData.Points reserved = TimelineData.of(timeline, 100).series(Series.RESERVED);
    assertArrayEquals(new double[] {0, 10, 10, 11, 11, 50, 50}, reserved.x());
    assertArrayEquals(new double[] {100, 100, 200, 200, 300, 300, 400}, reserved.y());
  }

  @Test
  void failuresOfOneColumnShareAMark() {
    MemoryTimeline timeline = new MemoryTimeline();
    timeline.at(0);
    timeline.segmentAllocated(0, 100, 0, false);
    for (int i = 0; i < 10; i++) {
      timeline.at(SECOND + i);
      timeline.outOfMemory(new OutOfMemory(i, 1, 512, 2 << 20, 0, -1, 0, 0, -1));
    }
    timeline.at(3 * SECOND);
    timeline.outOfMemory(new OutOfMemory(11, 1, 512, 2 << 20, 0, -1, 0, 0, -1));
    TimelineData.Points failures = TimelineData.of(timeline, 100).failures();
    assertArrayEquals(new double[] {1, 3}, failures.x());
    assertArrayEquals(new double[] {100, 100}, failures.y());
  }

  private static boolean contains(TimelineData.Points points, double value) {
    return Arrays.stream(points.y()).anyMatch(y -> y == value);
  }
}
