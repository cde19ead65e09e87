package org.allocsim.workloads.format.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;

/** Histories of more rows than a piece of their columns holds. */
final class EventRowsTest {
  private static final int ROWS = 2 * EffectLog.PIECE_ROWS + 3;

  private static EventRows rows(int pools) {
    EventRows rows = new EventRows();
    for (int row = 0; row < ROWS; row++) {
      rows.add(1000L * row, 7 * row, row % (pools + 1) - 1);
    }
    return rows;
  }

  private static List<PoolId> ids(int pools) {
    return IntStream.range(0, pools).mapToObj(pool -> new PoolId(0, pool + 1)).toList();
  }

  private static DeviceHistory history(int pools, boolean has) {
    return new DeviceHistory(
        new EffectLog(), rows(pools), has, has, has, ids(pools), Optional.empty());
  }

  @Test
  void everyRowStaysAsItWasAddedWhateverHoldsThePools() {
    for (int pools : new int[] {3, Byte.MAX_VALUE, Byte.MAX_VALUE + 1, 1000}) {
      DeviceHistory history = history(pools, true);
      List<PoolId> ids = ids(pools);
      for (int row = 0; row < ROWS; row++) {
        int pool = row % (pools + 1) - 1;
        assertEquals(1000L * row, history.timeNanos(row));
        assertEquals(7 * row, history.stack(row));
        assertEquals(pool < 0 ? null : ids.get(pool), history.poolId(row));
      }
    }
  }

  @Test
  void whatNoRowHasIsNotKept() {
    DeviceHistory history = history(3, false);
    assertEquals(0, history.timeNanos(ROWS - 1));
    assertEquals(StackTable.NONE, history.stack(ROWS - 1));
    assertNull(history.poolId(ROWS - 1));
  }
}
