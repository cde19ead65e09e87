package org.allocsim.workloads.format.pytorch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.trace.PoolId;

/** Numbers pairs of whole numbers, which in a snapshot are the identities of memory pools. */
final class PoolNumbers {
  /** Maximum number of pools of a snapshot, so that a number fits the {@code short} of a column. */
  static final int MOST = 32_000;

  private final Map<PoolId, Integer> numbers = new HashMap<>();
  private final List<PoolId> pools = new ArrayList<>();
  private PoolId last = PoolId.DEFAULT;
  private int lastNumber = -1;

  /** The number of a pair, or −1 where there are too many. */
  int number(long first, long second) {
    if (lastNumber >= 0 && last.capture() == first && last.user() == second) {
      return lastNumber;
    }
    PoolId id = new PoolId(first, second);
    Integer known = numbers.get(id);
    if (known == null) {
      if (pools.size() == MOST) {
        return -1;
      }
      known = pools.size();
      numbers.put(id, known);
      pools.add(id);
    }
    last = id;
    lastNumber = known;
    return known;
  }

  /** The pair with this number. */
  PoolId pool(int number) {
    return pools.get(number);
  }

  /** All pairs by number. */
  List<PoolId> pools() {
    return pools;
  }
}
