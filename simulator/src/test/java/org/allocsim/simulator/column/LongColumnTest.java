package org.allocsim.simulator.column;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LongColumnTest {
  private static LongColumn of(long... values) {
    LongColumn column = new LongColumn();
    LongStream.of(values).forEach(column::add);
    return column;
  }

  @Test
  void rowsStayWhatTheyWereWhileTheColumnGrows() {
    long[] many = LongStream.range(0, 10_000).map(row -> row * row).toArray();
    LongColumn column = of(many);
    assertEquals(10_000, column.count());
    column.set(9_999, -1);
    many[9_999] = -1;
    assertArrayEquals(many, column.toArray());
    assertEquals(-1, column.get(9_999));
  }

  @Test
  void theFirstRowAboveABoundIsFoundAlsoAmongEquals() {
    LongColumn column = of(1, 3, 3, 3, 8);
    assertEquals(0, column.firstAbove(0));
    assertEquals(1, column.firstAbove(1));
    assertEquals(1, column.firstAbove(2));
    assertEquals(4, column.firstAbove(3));
    assertEquals(5, column.firstAbove(8));
    assertEquals(0, of().firstAbove(8));
  }
}
