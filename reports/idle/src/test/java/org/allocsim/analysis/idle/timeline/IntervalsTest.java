package org.allocsim.analysis.idle.timeline;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Intervals are sets of moments. */
class IntervalsTest {
  private static final int END = 200;

  private static Intervals random(SplittableRandom random, BitSet moments) {
    Intervals intervals = new Intervals();
    int at = 0;
    while (at < END) {
      int begin = at + random.nextInt(12);
      int end = Math.min(END, begin + random.nextInt(12));
      if (end > begin) {
        intervals.add(begin, end);
        moments.set(begin, end);
      }
      at = begin + random.nextInt(6);
    }
    return intervals;
  }

  private static BitSet moments(Intervals intervals) {
    BitSet moments = new BitSet();
    for (int i = 0; i < intervals.count(); i++) {
      moments.set((int) intervals.begin(i), (int) intervals.end(i));
    }
    return moments;
  }

  @Test
  void theyAreJoinedAndTakenFromEachOtherAsSetsOfMoments() {
    SplittableRandom random = new SplittableRandom(7);
    for (int round = 0; round < 500; round++) {
      BitSet one = new BitSet();
      BitSet other = new BitSet();
      Intervals first = random(random, one);
      Intervals second = random(random, other);
      BitSet both = (BitSet) one.clone();
      both.or(other);
      BitSet rest = (BitSet) one.clone();
      rest.andNot(other);
      assertEquals(both, moments(first.with(second)));
      assertEquals(rest, moments(first.without(second)));
    }
  }
}
