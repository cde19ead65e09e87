package org.allocsim.workloads.format;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LivePointersTest {
  @Test
  void latestAllocationOfAnAddressIsFoundFirst() {
    SplittableRandom random = new SplittableRandom(7);
    LivePointers live = new LivePointers();
    Map<Long, ArrayDeque<Integer>> expected = new HashMap<>();
    int allocations = 0;
    for (int i = 0; i < 200_000; i++) {
      // Few addresses for a while, then many, with clusters that collide.
      long pointer = random.nextLong(i < 50_000 ? 600 : 20_000) * (random.nextBoolean() ? 256 : 0);
      ArrayDeque<Integer> stack = expected.computeIfAbsent(pointer, _ -> new ArrayDeque<>());
      if (random.nextInt(100) < 52) {
        assertEquals(!stack.isEmpty(), live.add(pointer, allocations));
        stack.push(allocations++);
      } else {
        assertEquals(stack.isEmpty() ? LivePointers.NONE : stack.pop(), live.remove(pointer));
      }
    }
    assertEquals(expected.values().stream().filter(stack -> !stack.isEmpty()).count(), live.size());
  }
}
