package org.allocsim.simulator.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.stats.MemoryTimeline.Series;
import org.junit.jupiter.api.Test;

class MemoryTimelineTest {
  @Test
  void fewSamplesAreKeptOneByOne() {
    MemoryTimeline timeline = new MemoryTimeline(16);
    timeline.at(1_000);
    timeline.segmentAllocated(0, 4096, 0, true);
    timeline.blockAllocated(0, 0, 1000, 1024, 0, true);
    timeline.at(3_000);
    timeline.freeRequested(0, 0, 1000, 1024, 0, true);
    timeline.freeCompleted(0, 0, 1000, 1024, 0, true);
    assertEquals(4, timeline.bucketCount());
    assertEquals(1_000, timeline.startNanos(1));
    assertEquals(3_000, timeline.endNanos(2));
    assertEquals(0, timeline.startEvent(1));
    assertEquals(1, timeline.startEvent(2));
    assertEquals(4096, timeline.lastBytes(1, Series.RESERVED));
    assertEquals(1024, timeline.lastBytes(1, Series.ALLOCATED));
    assertEquals(1000, timeline.lastBytes(1, Series.REQUESTED));
    assertEquals(0, timeline.lastBytes(2, Series.ALLOCATED));
    assertEquals(1024, timeline.lastBytes(2, Series.ACTIVE));
    assertEquals(1000, timeline.lastBytes(2, Series.REQUESTED));
    assertEquals(0, timeline.lastBytes(3, Series.ACTIVE));
    assertEquals(4096, timeline.currentBytes(Series.RESERVED));
    assertEquals(1024, timeline.peakBytes(Series.ACTIVE));
  }

  @Test
  void joinedBucketsKeepFirstLeastGreatestAndLast() {
    MemoryTimeline timeline = new MemoryTimeline(2);
    long[] changes = {100, 400, -300, 50, -250, 700, -10};
    for (int i = 0; i < changes.length; i++) {
      timeline.at(i);
      if (changes[i] > 0) {
        timeline.segmentMapped(0, changes[i], 0, false);
      } else {
        timeline.segmentUnmapped(0, -changes[i], 0, false);
      }
    }
    // Reserved: 100 500 200 250 | 0 700 690, in buckets of four samples.
    assertEquals(2, timeline.bucketCount());
    assertEquals(100, timeline.firstBytes(0, Series.RESERVED));
    assertEquals(0, timeline.firstBytes(1, Series.RESERVED));
    assertEquals(100, timeline.minBytes(0, Series.RESERVED));
    assertEquals(500, timeline.greatestBytes(0, Series.RESERVED));
    assertEquals(250, timeline.lastBytes(0, Series.RESERVED));
    assertEquals(0, timeline.startNanos(0));
    assertEquals(3, timeline.endNanos(0));
    assertEquals(0, timeline.minBytes(1, Series.RESERVED));
    assertEquals(700, timeline.greatestBytes(1, Series.RESERVED));
    assertEquals(690, timeline.lastBytes(1, Series.RESERVED));
    assertEquals(4, timeline.startEvent(1));
    assertEquals(6, timeline.endEvent(1));
  }

  @Test
  void aBucketKnowsNothingOfTheOneThatWasInItsPlace() {
    MemoryTimeline timeline = new MemoryTimeline(2);
    timeline.segmentAllocated(0, 100, 0, false);
    timeline.segmentAllocated(100, 400, 0, false);
    timeline.segmentFreed(100, 300, 0, false);
    assertEquals(200, timeline.greatestBytes(1, Series.RESERVED));
    assertEquals(200, timeline.minBytes(1, Series.RESERVED));
  }

  @Test
  void noExtremeIsEverLost() {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      MemoryTimeline timeline = new MemoryTimeline(2 * (1 + random.nextInt(20)));
      long reserved = 0;
      long least = Long.MAX_VALUE;
      long greatest = 0;
      int samples = 1 + random.nextInt(2_000);
      for (int i = 0; i < samples; i++) {
        timeline.at(i);
        if (reserved > 0 && random.nextBoolean()) {
          long bytes = 1 + random.nextLong(reserved);
          reserved -= bytes;
          timeline.segmentFreed(0, bytes, 0, false);
        } else {
          long bytes = 1 + random.nextLong(1_000_000);
          reserved += bytes;
          timeline.segmentAllocated(0, bytes, 0, false);
        }
        least = Math.min(least, reserved);
        greatest = Math.max(greatest, reserved);
      }
      long keptLeast = Long.MAX_VALUE;
      long keptGreatest = 0;
      for (int bucket = 0; bucket < timeline.bucketCount(); bucket++) {
        keptLeast = Math.min(keptLeast, timeline.minBytes(bucket, Series.RESERVED));
        keptGreatest = Math.max(keptGreatest, timeline.greatestBytes(bucket, Series.RESERVED));
      }
      assertEquals(least, keptLeast, "seed " + seed);
      assertEquals(greatest, keptGreatest, "seed " + seed);
      assertEquals(greatest, timeline.peakBytes(Series.RESERVED), "seed " + seed);
      int lastBucket = timeline.bucketCount() - 1;
      assertEquals(reserved, timeline.lastBytes(lastBucket, Series.RESERVED), "seed " + seed);
      assertEquals(samples - 1, timeline.endEvent(lastBucket), "seed " + seed);
    }
  }

  @Test
  void failuresAreMarked() {
    MemoryTimeline timeline = new MemoryTimeline(4);
    timeline.at(7);
    timeline.segmentAllocated(0, 4096, 0, false);
    for (int i = 0; i < MemoryTimeline.MAX_MARKS + 5; i++) {
      timeline.at(100 + i);
      timeline.outOfMemory(new OutOfMemory(i, 5_000 + i, 5_120, 20 << 20, 0, -1, 0, 0, -1));
    }
    assertEquals(MemoryTimeline.MAX_MARKS + 5, timeline.failureCount());
    assertEquals(MemoryTimeline.MAX_MARKS, timeline.marks().size());
    assertEquals(new MemoryTimeline.Mark(103, 4, 4096, 0, 5_003), timeline.marks().get(3));
    assertEquals(104 + MemoryTimeline.MAX_MARKS, timeline.endNanos(timeline.bucketCount() - 1));
  }

  @Test
  void memoryFromBeforeTheFirstRequestCounts() {
    MemoryTimeline timeline = new MemoryTimeline(4);
    timeline.startWith(10, 512, 1024, 2048);
    assertEquals(2048, timeline.peakBytes(Series.RESERVED));
    assertEquals(1024, timeline.lastBytes(0, Series.ACTIVE));
    assertEquals(10, timeline.lastBytes(0, Series.REQUESTED));
    timeline.at(7);
    assertEquals(7, timeline.startNanos(0));
    assertEquals(7, timeline.endNanos(0));
  }

  @Test
  void bucketsComeInPairs() {
    assertThrows(IllegalArgumentException.class, () -> new MemoryTimeline(3));
    assertThrows(IllegalArgumentException.class, () -> new MemoryTimeline(0));
  }
}
