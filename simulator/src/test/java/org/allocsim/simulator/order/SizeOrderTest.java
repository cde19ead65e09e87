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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SizeOrderTest {
  private static final class Piece extends SizedBlock {
    Piece(int number) {
      super(number);
    }
  }

  private final SizeOrder<Piece> order = new SizeOrder<>();

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

  private void check(List<Piece> in) {
    assertEquals(in.size(), order.size());
    Set<Piece> seen = new HashSet<>();
    Piece last = null;
    for (Piece piece = order.first(); piece != null; piece = order.next(piece)) {
      assertTrue(seen.add(piece), "a block comes twice");
      assertSame(last, order.previous(piece));
      assertTrue(last == null || !piece.isBelow(last.bytes(), last.address()));
      last = piece;
    }
    assertSame(last, order.last());
    assertEquals(new HashSet<>(in), seen);
    if (last != null) {
      assertNull(order.next(last));
      Piece found = order.ceiling(last.bytes(), last.address());
      assertEquals(last.bytes(), found.bytes());
      assertEquals(last.address(), found.address());
    }
  }
}
