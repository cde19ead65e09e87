package org.allocsim.workloads.format.pytorch.pickle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoTest {
  private static final byte[] TYPES = {Value.TEXT, Value.FRAME, Value.STACK, Value.SPENT};

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void aMemoHoldsWhatAMapHoldsWhateverRepeats(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Memo memo = new Memo();
    Map<Integer, Integer> model = new HashMap<>();
    for (int part = 0; part < 40; part++) {
      int[] repeated = new int[1 + random.nextInt(20)];
      for (int i = 0; i < repeated.length; i++) {
        repeated[i] = Memo.entry(TYPES[random.nextInt(TYPES.length)], random.nextInt(3));
      }
      for (int i = random.nextInt(3_000); i > 0; i--) {
        memo.beginNotes();
        for (int entry : repeated) {
          model.put(memo.count() + memo.noteCount(), entry);
          memo.note(entry);
        }
        memo.keepNotes();
      }
      for (int i = random.nextInt(4); i > 0; i--) {
        // Behind what is there, or beyond it with a gap.
        int slot = random.nextInt(memo.count() + 10_000);
        byte type = TYPES[random.nextInt(TYPES.length)];
        memo.set(slot, type, i);
        model.put(slot, Memo.entry(type, i));
      }
    }
    for (int slot = 0; slot < memo.count() + 100; slot++) {
      assertEquals(model.getOrDefault(slot, 0), memo.entry(slot));
    }
  }

  @Test
  void entriesThatAllRememberTheSameTakeNextToNoMemory() {
    Memo memo = new Memo();
    for (int i = 0; i < 1_000_000; i++) {
      memo.beginNotes();
      memo.note(Memo.entry(Value.SPENT, 0));
      memo.note(Memo.entry(Value.TEXT, 7));
      memo.note(Memo.entry(Value.TEXT, 9));
      memo.keepNotes();
    }
    assertEquals(3_000_000, memo.count());
    assertTrue(memo.heldBytes() < 100_000, memo.heldBytes() + " bytes");
  }
}
