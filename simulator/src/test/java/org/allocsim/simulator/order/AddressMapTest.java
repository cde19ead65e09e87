package org.allocsim.simulator.order;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressMapTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 512, 1L << 21, 1L << 52})
  void randomChangesKeepTheValuesOfAHashMap(long unitBytes) {
    SplittableRandom random = new SplittableRandom(unitBytes);
    AddressMap map = new AddressMap();
    Map<Long, Long> model = new HashMap<>();
    for (int step = 0; step < 200_000; step++) {
      long address = unitBytes * random.nextInt(step < 100_000 ? 4_000 : 40);
      if (random.nextInt(100) < (step / 20_000 % 2 == 0 ? 60 : 40)) {
        map.put(address, step);
        model.put(address, (long) step);
      } else {
        Long removed = model.remove(address);
        assertEquals(removed == null ? AddressMap.NONE : removed, map.remove(address));
      }
      long wanted = unitBytes * random.nextInt(4_000);
      assertEquals(model.getOrDefault(wanted, AddressMap.NONE), map.get(wanted));
      assertEquals(model.size(), map.size());
    }
  }
}
