package org.allocsim.simulator.order;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SizeOrderedRowsTest {
  private record Key(long bytes, long address, int row) {
    static final Comparator<Key> ORDER =
        Comparator.comparingLong(Key::bytes)
            .thenComparing((a, b) -> Long.compareUnsigned(a.address, b.address));
  }

  private static final class Table extends BlockRows {
    int add(long bytes, long address) {
      int row = newRow();
      place(row, address, bytes);
      return row;
    }

    void remove(int row) {
      recycle(row);
    }
  }

  private final Table table = new Table();
  private final SizeOrderedRows rows = new SizeOrderedRows(table);
  private final TreeSet<Key> model = new TreeSet<>(Key.ORDER);

  private static int row(Key key) {
    return key == null ? SizeOrderedRows.NONE : key.row;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void randomChangesKeepTheOrderOfATreeSet(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int sizes = seed % 2 == 0 ? 5 : 1000;
    List<Key> live = new ArrayList<>();
    for (int step = 0; step < 40_000; step++) {
      // Grows and shrinks over and over, to nothing now and then.
      boolean grows = random.nextInt(100) < (step / 5000 % 2 == 0 ? 70 : 25);
      if (grows || live.isEmpty()) {
        long bytes = 512L * random.nextInt(sizes);
        long address = random.nextLong();
        if (!model.contains(new Key(bytes, address, 0))) {
          Key key = new Key(bytes, address, table.add(bytes, address));
          model.add(key);
          live.add(key);
          rows.add(key.row);
        }
      } else {
        int index = random.nextInt(live.size());
        Key key = live.set(index, live.getLast());
        live.removeLast();
        model.remove(key);
        rows.remove(key.row);
        table.remove(key.row);
      }
      assertEquals(model.size(), rows.size());
      Key wanted = new Key(512L * random.nextInt(sizes), random.nextInt(3) - 1, 0);
      Key found = model.ceiling(wanted);
      assertEquals(row(found), rows.ceiling(wanted.bytes, wanted.address));
      if (found != null) {
        assertEquals(row(model.higher(found)), rows.next(found.row));
        assertEquals(row(model.lower(found)), rows.previous(found.row));
      }
      assertEquals(row(model.isEmpty() ? null : model.first()), rows.first());
      assertEquals(row(model.isEmpty() ? null : model.last()), rows.last());
      if (step % 1000 == 0) {
        assertArrayEquals(
            model.stream().mapToInt(Key::row).toArray(),
            Arrays.copyOf(rows.copyTo(new int[0], 0), model.size()));
      }
    }
  }

  @Test
  void aBlockIsInOneOrderAtMost() {
    int block = table.add(512, 1);
    rows.add(block);
    SizeOrderedRows others = new SizeOrderedRows(table);
    assertThrows(IllegalStateException.class, () -> others.add(block));
    rows.remove(block);
    others.add(block);
    assertEquals(block, others.first());
    assertEquals(0, rows.size());
  }

  @Test
  void aBlockThatIsNotInTheOrderCannotBeRemoved() {
    rows.add(table.add(512, 1));
    int other = table.add(512, 2);
    assertThrows(IllegalStateException.class, () -> rows.remove(other));
    int larger = table.add(1024, 1);
    assertThrows(IllegalStateException.class, () -> rows.remove(larger));
  }
}
