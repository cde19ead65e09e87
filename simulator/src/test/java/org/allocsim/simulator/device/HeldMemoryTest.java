package org.allocsim.simulator.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class HeldMemoryTest {
  private static final int UNITS = 64;

  /** So that addresses pass from positive to negative numbers. */
  private static final long BASE = Long.MAX_VALUE - UNITS / 2;

  @Test
  void holdsWhatASetOfAddressesHolds() {
    HeldMemory held = new HeldMemory();
    BitSet expected = new BitSet();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 20_000; i++) {
      int from = random.nextInt(UNITS - 8);
      int count = 1 + random.nextInt(8);
      boolean overlaps = expected.get(from, from + count).cardinality() > 0;
      assertEquals(overlaps, held.overlaps(BASE + from, count));
      if (!overlaps) {
        held.add(BASE + from, count);
        expected.set(from, from + count);
      } else if (random.nextBoolean()) {
        held.remove(BASE + from, count);
        expected.clear(from, from + count);
      }
    }
  }
}
