package org.allocsim.simulator.device.simulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.allocsim.simulator.device.span.Spans;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpansTest {
  /** Addresses of the model; with steps of up to eight some 400 spans lie in them at most. */
  private static final int ADDRESSES = 4000;

  private final Spans spans = new Spans();
  private final BitSet model = new BitSet(ADDRESSES);

  /** The seeds' sets of spans become few and many again and again. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void answersWhatASetOfSingleAddressesAnswers(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int most = 0;
    int changes = 0;
    boolean wereMany = false;
    for (int step = 0; step < 30_000; step++) {
      boolean splits = step / 2000 % 2 == 0;
      int start = random.nextInt(ADDRESSES);
      int bytes = 1 + random.nextInt(splits ? 8 : 400);
      if (random.nextInt(3) > 0) {
        addFreePart(start, bytes);
      } else {
        removeCoveredPart(start, bytes);
      }
      int count = modelCount();
      most = Math.max(most, count);
      if (wereMany ? count <= 60 : count >= 260) {
        wereMany = !wereMany;
        changes++;
      }
      compare(random.nextInt(ADDRESSES), 1 + random.nextInt(64));
      if (step % 10_000 == 9_999) {
        spans.clear();
        model.clear();
        wereMany = false;
      }
    }
    assertTrue(most >= 300, "most: " + most);
    assertTrue(changes >= 3, "changes: " + changes);
  }

  /** Adds what is free of a range up to the first span in it. */
  private void addFreePart(int start, int bytes) {
    if (model.get(start)) {
      assertThrows(IllegalArgumentException.class, () -> spans.add(start, bytes));
      return;
    }
    int next = model.nextSetBit(start);
    int end = Math.min(ADDRESSES, next < 0 ? start + bytes : Math.min(next, start + bytes));
    spans.add(start, end - start);
    model.set(start, end);
  }

  /** Removes what one span has of a range. */
  private void removeCoveredPart(int start, int bytes) {
    if (!model.get(start)) {
      assertThrows(IllegalArgumentException.class, () -> spans.remove(start, bytes));
      return;
    }
    int end = Math.min(model.nextClearBit(start), start + bytes);
    spans.remove(start, end - start);
    model.clear(start, end);
  }

  private int modelCount() {
    int count = 0;
    for (int start = model.nextSetBit(0); start >= 0; start = nextSpan(start)) {
      count++;
    }
    return count;
  }

  private int nextSpan(int start) {
    return model.nextSetBit(model.nextClearBit(start));
  }

  private void compare(int address, int bytes) {
    long largest = 0;
    long first = Spans.NONE;
    long best = Spans.NONE;
    int bestBytes = Integer.MAX_VALUE;
    boolean starts = false;
    for (int start = model.nextSetBit(0); start >= 0; start = nextSpan(start)) {
      int length = model.nextClearBit(start) - start;
      largest = Math.max(largest, length);
      starts |= start == address;
      if (length >= bytes) {
        first = first == Spans.NONE ? start : first;
        if (length < bestBytes) {
          best = start;
          bestBytes = length;
        }
      }
    }
    assertEquals(largest, spans.largestBytes());
    assertEquals(first, spans.firstFit(bytes));
    assertEquals(best, spans.bestFit(bytes));
    assertEquals(starts, spans.startsAt(address));
    assertEquals(model.nextSetBit(address), spans.firstFrom(address));
    int clear = model.nextClearBit(address);
    assertEquals(clear - address >= bytes, spans.covers(address, bytes));
    int set = model.nextSetBit(address);
    assertEquals(set >= 0 && set < address + bytes, spans.overlaps(address, bytes));
    if (model.get(address)) {
      assertEquals(clear, spans.endOf(address));
    }
  }

  @Test
  void spansThatAllHaveOneSizeAreTakenFromTheLowest() {
    for (int i = 0; i < 1000; i++) {
      spans.add(10L * i, 5);
    }
    for (int i = 0; i < 1000; i++) {
      assertEquals(10L * i, spans.bestFit(3));
      assertEquals(10L * i, spans.firstFit(3));
      spans.remove(10L * i, 5);
    }
    assertEquals(Spans.NONE, spans.bestFit(1));
    assertEquals(0, spans.largestBytes());
  }
}
