package org.allocsim.simulator.policy.pagedkv;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PrefixIndexTest {
  private static final int BLOCKS = 60;
  private static final int PREFIXES = 4;

  @Test
  void theFirstOfTheBlocksThatAreLeftHoldsAPrefix() {
    Random random = new Random(3);
    PrefixIndex index = new PrefixIndex(BLOCKS);
    List<ArrayDeque<Integer>> expected = new ArrayList<>();
    for (int prefix = 0; prefix < PREFIXES; prefix++) {
      expected.add(new ArrayDeque<>());
    }
    int[] prefixOf = new int[BLOCKS];
    for (int i = 0; i < 20_000; i++) {
      int block = random.nextInt(BLOCKS);
      if (index.has(block)) {
        index.remove(block);
        expected.get(prefixOf[block]).remove(block);
      } else {
        prefixOf[block] = random.nextInt(PREFIXES);
        index.add(block, prefixOf[block]);
        expected.get(prefixOf[block]).addLast(block);
      }
      for (int prefix = 0; prefix < PREFIXES; prefix++) {
        ArrayDeque<Integer> holders = expected.get(prefix);
        assertEquals(
            holders.isEmpty() ? PrefixIndex.NONE : holders.getFirst(), index.holder(prefix));
      }
    }
  }
}
