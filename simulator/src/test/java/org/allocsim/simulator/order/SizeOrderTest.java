package org.allocsim.simulator.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SizeOrderTest {
  private static final class Piece extends SizedBlock {
    Piece(int number) {
      super(number);
    }
  }

  private final SizeOrder<Piece> order = new SizeOrder<>();
  private int takenAtOnce;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void blocksOfTheSamePlaceEachHaveTheirTurn(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Piece> out = new ArrayList<>();
    for (int number = 0; number < 60; number++) {
      out.add(new Piece(number));
    }
    List<Piece> in = new ArrayList<>();
    for (int step = 0; step < 2_000; step++) {
      if (in.isEmpty() || (!out.isEmpty() && random.nextBoolean())) {
        Piece piece = out.remove(random.nextInt(out.size()));
        piece.place(4096L * random.nextInt(3), 512L * (1 + random.nextInt(2)));
        order.add(piece);
        in.add(piece);
      } else {
        Piece piece = in.remove(random.nextInt(in.size()));
        order.remove(piece);
        out.add(piece);
      }
      check(in);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, 2, 512",
    "2, 1, 512",
    "3, 400, 512",
    "4, 90, 1048576",
    "5, 40, 8",
    "6, 3, 40000000"
  })
  void everyQuestionIsAnsweredAsByLookingAtAllBlocks(int seed, int sizes, long stepBytes) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Piece> out = new ArrayList<>();
    for (int number = 0; number < 120; number++) {
      out.add(new Piece(number));
    }
    List<Piece> in = new ArrayList<>();
    for (int step = 0; step < 30_000; step++) {
      // Now many blocks come in a row, now many leave.
      boolean grows = random.nextInt(100) < (step / 300 % 2 == 0 ? 70 : 30);
      if (!out.isEmpty() && (in.isEmpty() || grows)) {
        Piece piece = out.remove(random.nextInt(out.size()));
        piece.place(4096L * piece.priority, stepBytes * (1 + random.nextInt(sizes)));
        order.add(piece);
        in.add(piece);
      } else if (random.nextBoolean()) {
        Piece piece = in.remove(random.nextInt(in.size()));
        order.remove(piece);
        out.add(piece);
      } else {
        take(stepBytes * random.nextInt(sizes + 2), in, out);
      }
      ask(random, in, stepBytes * random.nextInt(sizes + 2));
    }
    assertTrue(takenAtOnce > 100, "hardly any block was taken at once");
  }

  @Test
  void sizesUpToTheLargestNumberHaveTheirPlace() {
    List<Piece> pieces = new ArrayList<>();
    long[] sizes = {0, 1, 511, 512, 32_767, 32_768, 1L << 40, 1L << 62, Long.MAX_VALUE};
    for (long bytes : sizes) {
      Piece piece = new Piece(pieces.size());
      piece.place(4096, bytes);
      pieces.add(piece);
      order.add(piece);
    }
    Piece at = order.first();
    for (Piece piece : pieces) {
      assertSame(piece, at);
      assertSame(piece, order.ceiling(piece.bytes()));
      at = order.next(at);
    }
    assertNull(at);
  }

  @Test
  void aBlockThatLeftAnOrderMayEnterAnother() {
    Piece piece = new Piece(1);
    piece.place(4096, 512);
    order.add(piece);
    order.remove(piece);
    SizeOrder<Piece> other = new SizeOrder<>();
    other.add(piece);
    assertSame(piece, other.first());
    assertNull(order.first());
  }

  private void take(long bytes, List<Piece> in, List<Piece> out) {
    Piece expected = least(in, each -> each.bytes() >= bytes);
    Piece taken = order.takeCeilingAtOnce(bytes);
    if (taken != null) {
      assertSame(expected, taken);
      takenAtOnce++;
    } else if (expected != null) {
      assertSame(expected, order.ceiling(bytes));
      order.remove(expected);
    }
    if (expected != null) {
      in.remove(expected);
      out.add(expected);
    }
  }

  /** Asks one question, or none, so that blocks are in every state when the next one comes. */
  private void ask(SplittableRandom random, List<Piece> in, long bytes) {
    long address = 4096L * random.nextInt();
    Piece some = in.isEmpty() ? null : in.get(random.nextInt(in.size()));
    switch (random.nextInt(some == null ? 5 : 7)) {
      case 0 ->
          assertSame(
              least(in, each -> !each.isBelow(bytes, address)), order.ceiling(bytes, address));
      case 1 -> assertSame(least(in, _ -> true), order.first());
      case 2 -> assertSame(most(in, _ -> true), order.last());
      case 3 -> assertEquals(in.size(), order.size());
      case 4 -> assertSame(least(in, each -> each.bytes() >= bytes), order.ceiling(bytes));
      case 5 -> assertSame(least(in, some::isBefore), order.next(some));
      default -> assertSame(most(in, each -> each.isBefore(some)), order.previous(some));
    }
  }

  private static Piece least(List<Piece> in, Predicate<Piece> which) {
    return in.stream().filter(which).reduce((a, b) -> b.isBefore(a) ? b : a).orElse(null);
  }

  private static Piece most(List<Piece> in, Predicate<Piece> which) {
    return in.stream().filter(which).reduce((a, b) -> a.isBefore(b) ? b : a).orElse(null);
  }

  private void check(List<Piece> in) {
    assertEquals(in.size(), order.size());
    Set<Piece> seen = new HashSet<>();
    Piece last = null;
    for (Piece piece = order.first(); piece != null; piece = order.next(piece)) {
      assertTrue(seen.add(piece), "a block comes twice");
      assertSame(last, order.previous(piece));
      assertTrue(last == null || !piece.isBelow(last.bytes(), last.position()));
      last = piece;
    }
    assertSame(last, order.last());
    assertEquals(new HashSet<>(in), seen);
    if (last != null) {
      assertNull(order.next(last));
      Piece found = order.ceiling(last.bytes(), last.position());
      assertEquals(last.bytes(), found.bytes());
      assertEquals(last.position(), found.position());
    }
  }
}
