package org.allocsim.simulator.device.simulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReservationsTest {
  private static final long UNIT = 16;
  private static final long END = 100 * UNIT + 4;

  private final Reservations reservations = new Reservations(UNIT, END);
  private final TreeMap<Long, Reservation> model = new TreeMap<>();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void gapsAreThoseThatALookThroughAllFinds(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int step = 0; step < 20_000; step++) {
      boolean fills = step / 500 % 2 == 0;
      long address = random.nextLong(END);
      Map.Entry<Long, Reservation> below = model.floorEntry(address);
      if (random.nextInt(10) < (fills ? 7 : 3)) {
        addAt(address, 1 + random.nextLong(4 * UNIT));
      } else if (below != null) {
        model.remove(below.getKey());
        reservations.remove(below.getValue());
      }
      compare(random.nextLong(END), UNIT * (1 + random.nextLong(8)));
    }
  }

  private void addAt(long address, long bytes) {
    Map.Entry<Long, Reservation> below = model.floorEntry(address);
    Long above = model.ceilingKey(address);
    long end = Math.min(address + bytes, above == null ? END : above);
    if (end > address && (below == null || below.getValue().end() <= address)) {
      Reservation made = reservations.make(address, end - address, false);
      reservations.add(made);
      model.put(address, made);
    }
  }

  private void compare(long address, long bytes) {
    Map.Entry<Long, Reservation> below = model.floorEntry(address);
    Map.Entry<Long, Reservation> above = model.higherEntry(address);
    if (below == null) {
      assertNull(reservations.floor(address));
    } else {
      assertSame(below.getValue(), reservations.floor(address));
    }
    assertEquals(above == null ? END : above.getKey(), reservations.above(address).address());
    assertEquals(
        below == null ? 0 : below.getValue().end(),
        Reservations.gapStart(reservations.above(address)));
    assertEquals(aboveHighestGap(bytes), reservations.aboveHighestGap(bytes).address());
    Reservation found = reservations.aboveGap(address, bytes);
    assertEquals(aboveGap(address, bytes), found == null ? END : found.address());
  }

  /** What lies above the first gap from the top in which an aligned reservation leaves a rest. */
  private long aboveHighestGap(long bytes) {
    long end = END;
    for (Map.Entry<Long, Reservation> each : model.descendingMap().entrySet()) {
      if (((end - bytes) & -UNIT) > each.getValue().end()) {
        return end;
      }
      end = each.getKey();
    }
    return end;
  }

  private long aboveGap(long address, long bytes) {
    for (long start : model.tailMap(address, true).keySet()) {
      Map.Entry<Long, Reservation> below = model.lowerEntry(start);
      if (start - (below == null ? 0 : below.getValue().end()) >= bytes) {
        return start;
      }
    }
    return END;
  }
}
