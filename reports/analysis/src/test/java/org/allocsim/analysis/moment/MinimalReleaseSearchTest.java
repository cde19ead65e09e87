package org.allocsim.analysis.moment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.allocsim.analysis.moment.FitTrial.Minimum;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.junit.jupiter.api.Test;

class MinimalReleaseSearchTest {
  private static final long MIB = 1L << 20;
  private static final long PAGE = 20 * MIB;

  /** Two segments of 20 MiB with 6 MiB each cost less than one of 40 MiB with 15 MiB. */
  @Test
  void twoSmallSegmentsBeatALargeOne() {
    MemoryLayout.Builder layout = new MemoryLayout.Builder();
    segment(layout, 0, 40, 15);
    segment(layout, 100, 20, 6);
    segment(layout, 200, 20, 6);
    MinimalReleaseSearch.Plan plan =
        new MinimalReleaseSearch(layout.build(), PAGE).find(40 * MIB, Minimum.BYTES).orElseThrow();
    assertEquals(12 * MIB, plan.bytes());
    assertEquals(List.of(1, 2), plan.segments());
    assertEquals(40 * MIB, plan.releasedBytes());
    assertEquals(Minimum.BYTES, plan.minimum());
  }

  /** What a choice by ratio gets wrong: the best ratio first makes the rest needless but dear. */
  @Test
  void theBestRatioIsNotAlwaysInTheBestSet() {
    MemoryLayout.Builder layout = new MemoryLayout.Builder();
    segment(layout, 0, 20, 2);
    segment(layout, 100, 100, 30);
    segment(layout, 300, 90, 20);
    MinimalReleaseSearch.Plan plan =
        new MinimalReleaseSearch(layout.build(), PAGE).find(100 * MIB, Minimum.BYTES).orElseThrow();
    assertEquals(22 * MIB, plan.bytes());
    assertEquals(List.of(0, 2), plan.segments());
  }

  private static void segment(MemoryLayout.Builder layout, long atMib, long mib, long usedMib) {
    layout.segment(atMib * MIB, mib * MIB, 0, false, 0, false);
    layout.block(atMib * MIB, usedMib * MIB, 1, BlockState.ACTIVE_ALLOCATED, 0);
    layout.block((atMib + usedMib) * MIB, (mib - usedMib) * MIB, 0, BlockState.INACTIVE, -1);
  }

  @Test
  void aBlockOnTwoPagesCountsOnce() {
    MemoryLayout.Builder layout = new MemoryLayout.Builder();
    layout.segment(0, 60 * MIB, 0, false, 0, true);
    layout.block(0, 12 * MIB, 1, BlockState.INACTIVE, -1);
    layout.block(12 * MIB, 16 * MIB, 1, BlockState.ACTIVE_ALLOCATED, 0);
    layout.block(28 * MIB, 12 * MIB, 1, BlockState.INACTIVE, -1);
    layout.block(40 * MIB, 10 * MIB, 1, BlockState.ACTIVE_ALLOCATED, 1);
    layout.block(50 * MIB, 10 * MIB, 1, BlockState.INACTIVE, -1);
    MemoryLayout built = layout.build();
    assertEquals(
        List.of(3),
        new MinimalReleaseSearch(built, PAGE).find(20 * MIB, Minimum.BYTES).orElseThrow().blocks());
    MinimalReleaseSearch.Plan two =
        new MinimalReleaseSearch(built, PAGE).find(40 * MIB, Minimum.BYTES).orElseThrow();
    assertEquals(List.of(1), two.blocks());
    assertEquals(16 * MIB, two.bytes());
  }

  @Test
  void privatePoolsAreNotReleased() {
    MemoryLayout.Builder layout = new MemoryLayout.Builder();
    layout.segment(0, 20 * MIB, 0, false, 1, false);
    layout.block(0, 20 * MIB, 1, BlockState.ACTIVE_ALLOCATED, 0);
    assertEquals(
        Optional.empty(), new MinimalReleaseSearch(layout.build(), PAGE).find(MIB, Minimum.BYTES));
  }

  /** Random layouts of segments and pages: as good as the best of all sets of blocks. */
  @Test
  void noSetOfFewerBytesExists() {
    int found = 0;
    for (int seed = 0; seed < 80; seed++) {
      Random random = new Random(seed);
      MemoryLayout layout = randomLayout(random);
      long missing = (1L + random.nextInt(50)) * 2 * MIB;
      Minimum minimum = seed % 2 == 0 ? Minimum.BYTES : Minimum.BLOCKS;
      Optional<MinimalReleaseSearch.Plan> plan =
          new MinimalReleaseSearch(layout, PAGE).find(missing, minimum);
      long best = cheapest(layout, missing, minimum);
      assertEquals(best, plan.map(each -> cost(each, minimum)).orElse(-1L), "seed " + seed);
      if (plan.isPresent()) {
        found++;
        assertEquals(minimum, plan.get().minimum());
        Set<Integer> gone = new HashSet<>(plan.get().blocks());
        assertTrue(released(layout, gone) >= missing, "seed " + seed);
        assertTrue(
            plan.get().releasedBytes() <= released(layout, gone)
                && plan.get().releasedBytes() >= missing);
        MinimalReleaseSearch.Plan quick =
            new MinimalReleaseSearch(layout, PAGE).find(missing, minimum, 1).orElseThrow();
        assertEquals(Minimum.NOTHING, quick.minimum());
        assertTrue(cost(quick, minimum) >= best);
        assertTrue(released(layout, new HashSet<>(quick.blocks())) >= missing);
      }
    }
    assertTrue(found > 40, found + " plans");
  }

  private static MemoryLayout randomLayout(Random random) {
    MemoryLayout.Builder layout = new MemoryLayout.Builder();
    long address = 0;
    int allocation = 0;
    for (int segment = 0; segment < 3; segment++) {
      boolean expandable = random.nextBoolean();
      long bytes =
          expandable ? (1 + random.nextInt(3)) * PAGE : (1L + random.nextInt(20)) * 2 * MIB;
      layout.segment(address, bytes, 0, false, 0, expandable);
      long at = 0;
      while (at < bytes) {
        long size = Math.min(bytes - at, (2 + random.nextInt(14)) * MIB + 512L);
        boolean used = random.nextInt(3) > 0;
        layout.block(
            address + at,
            size,
            size,
            used ? BlockState.ACTIVE_ALLOCATED : BlockState.INACTIVE,
            used ? allocation++ : -1);
        at += size;
      }
      address += bytes + PAGE;
    }
    return layout.build();
  }

  /** Bytes that can be returned without some blocks and could not with them. */
  private static long released(MemoryLayout layout, Set<Integer> gone) {
    long bytes = 0;
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      bytes += free(layout, segment, gone) - free(layout, segment, Set.of());
    }
    return bytes;
  }

  private static long free(MemoryLayout layout, int segment, Set<Integer> gone) {
    long page = layout.isExpandable(segment) ? PAGE : layout.segmentBytes(segment);
    long bytes = 0;
    for (long from = 0; from < layout.segmentBytes(segment); from += page) {
      long begin = layout.segmentAddress(segment) + from;
      boolean empty = true;
      for (int b = layout.firstBlock(segment); b < layout.firstBlock(segment + 1); b++) {
        boolean overlaps =
            layout.blockAddress(b) < begin + page
                && layout.blockAddress(b) + layout.blockBytes(b) > begin;
        empty &= !overlaps || layout.state(b) == BlockState.INACTIVE || gone.contains(b);
      }
      bytes += empty ? page : 0;
    }
    return bytes;
  }

  private static long cost(MinimalReleaseSearch.Plan plan, Minimum minimum) {
    return minimum == Minimum.BYTES ? plan.bytes() : plan.blocks().size();
  }

  private static long cheapest(MemoryLayout layout, long missing, Minimum minimum) {
    List<Integer> used = new ArrayList<>();
    for (int b = 0; b < layout.blockCount(); b++) {
      if (layout.state(b) != BlockState.INACTIVE) {
        used.add(b);
      }
    }
    Collections.sort(used);
    long best = -1;
    for (int set = 0; set < 1 << used.size(); set++) {
      long bytes = 0;
      Set<Integer> gone = new HashSet<>();
      for (int i = 0; i < used.size(); i++) {
        if ((set & 1 << i) != 0) {
          gone.add(used.get(i));
          bytes += minimum == Minimum.BYTES ? layout.blockBytes(used.get(i)) : 1;
        }
      }
      if ((best < 0 || bytes < best) && released(layout, gone) >= missing) {
        best = bytes;
      }
    }
    return best;
  }
}
