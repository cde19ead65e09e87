package org.allocsim.simulator.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.stats.FragmentationTimeline.Share;
import org.junit.jupiter.api.Test;

class FragmentationTimelineTest {
  private final MemoryTimeline memory = new MemoryTimeline();
  private final FragmentationTimeline timeline = new FragmentationTimeline(memory);
  private final EffectListener effects = EffectListeners.both(memory, timeline);

  private void assertLast(double unused, double rounding) {
    int bucket = timeline.bucketCount() - 1;
    assertEquals(unused, timeline.last(bucket, Share.UNUSED));
    assertEquals(rounding, timeline.last(bucket, Share.ROUNDING));
  }

  @Test
  void eachEffectIsASampleOfWhatIsReservedAndInNoUse() {
    memory.at(10);
    effects.segmentAllocated(0, 1000, 0, false);
    assertLast(1, 0);
    memory.at(20);
    effects.blockAllocated(0, 0, 300, 400, 0, false);
    assertLast(0.6, 0.1);
    effects.segmentMapped(4096, 1000, 0, false);
    assertLast(0.8, 0.05);
    memory.at(30);
    effects.freeRequested(0, 0, 300, 400, 0, false);
    assertEquals(4, timeline.bucketCount());
    effects.freeCompleted(0, 0, 300, 400, 0, false);
    assertLast(1, 0);
    effects.segmentUnmapped(4096, 1000, 0, false);
    effects.outOfMemory(new OutOfMemory(1, 1, 512, 2 << 20, 0, -1, 0, 0, -1));
    assertLast(1, 0);
    effects.segmentFreed(0, 1000, 0, false);
    assertLast(0, 0);
    assertEquals(8, timeline.bucketCount());
    assertEquals(1, timeline.peak(Share.UNUSED));
    assertEquals(0.1, timeline.peak(Share.ROUNDING));
    assertEquals(10, timeline.startNanos(0));
    assertEquals(20, timeline.startNanos(1));
    assertEquals(0, timeline.startEvent(0));
    assertEquals(1, timeline.startEvent(2));
    assertEquals(30, timeline.endNanos());
    assertEquals(2, timeline.endEvent());
  }

  @Test
  void nothingReservedIsNoShare() {
    effects.outOfMemory(new OutOfMemory(1, 1, 512, 2 << 20, 0, -1, 0, 0, -1));
    assertLast(0, 0);
    assertEquals(1, timeline.bucketCount());
  }

  @Test
  void bucketsKeepFirstLeastGreatestAndLastOfEquallyManySamples() {
    SplittableRandom random = new SplittableRandom(1);
    List<Double> unused = new ArrayList<>();
    List<Double> rounding = new ArrayList<>();
    List<Long> times = new ArrayList<>();
    effects.segmentAllocated(0, 1 << 20, 0, false);
    unused.add(1.0);
    rounding.add(0.0);
    times.add(0L);
    for (int i = 0; i < 10_000; i++) {
      long time = 5L * i;
      memory.at(time);
      long blockBytes = 512L * (1 + random.nextInt(1000));
      long requestedBytes = blockBytes - random.nextInt(512);
      effects.blockAllocated(i, 0, requestedBytes, blockBytes, 0, false);
      unused.add((double) ((1 << 20) - blockBytes) / (1 << 20));
      rounding.add((double) (blockBytes - requestedBytes) / (1 << 20));
      times.add(time);
      effects.freeRequested(i, 0, requestedBytes, blockBytes, 0, false);
      unused.add(unused.getLast());
      rounding.add(timeline.last(timeline.bucketCount() - 1, Share.ROUNDING));
      times.add(time);
      effects.freeCompleted(i, 0, requestedBytes, blockBytes, 0, false);
      unused.add(1.0);
      rounding.add(0.0);
      times.add(time);
    }
    int width = 1;
    while (width * FragmentationTimeline.MAX_BUCKETS < unused.size()) {
      width *= 2;
    }
    assertTrue(width > 16, "buckets were joined");
    assertEquals((unused.size() + width - 1) / width, timeline.bucketCount());
    for (int bucket = 0; bucket < timeline.bucketCount(); bucket++) {
      int from = bucket * width;
      int to = Math.min(unused.size(), from + width);
      assertEquals(times.get(from), timeline.startNanos(bucket));
      assertEquals(from == 0 ? 0 : (from - 1) / 3, timeline.startEvent(bucket));
      assertBucket(unused.subList(from, to), bucket, Share.UNUSED);
      assertBucket(rounding.subList(from, to), bucket, Share.ROUNDING);
    }
  }

  private void assertBucket(List<Double> samples, int bucket, Share share) {
    assertEquals(samples.getFirst(), timeline.first(bucket, share));
    assertEquals(samples.getLast(), timeline.last(bucket, share));
    assertEquals(
        samples.stream().mapToDouble(d -> d).min().orElseThrow(), timeline.least(bucket, share));
    assertEquals(
        samples.stream().mapToDouble(d -> d).max().orElseThrow(), timeline.greatest(bucket, share));
  }
}
