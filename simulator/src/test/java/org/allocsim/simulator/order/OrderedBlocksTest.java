package org.allocsim.simulator.order;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrderedBlocksTest {
  private record Key(long bytes, long address, int block) {
    static final Comparator<Key> ORDER =
        Comparator.comparingLong(Key::bytes)
            .thenComparing((a, b) -> Long.compareUnsigned(a.address, b.address));
  }

  private final OrderedBlocks blocks = new OrderedBlocks();
  private final TreeSet<Key> model = new TreeSet<>(Key.ORDER);

  private Key at(int position) {
    return position == OrderedBlocks.NONE
        ? null
        : new Key(blocks.bytes(position), blocks.address(position), blocks.block(position));
  }

  @Test
  void positionsOfRemovedBlocksAreUsedAgain() {
    blocks.add(512, 0, 1);
    int position = blocks.first();
    blocks.removeAt(position);
    blocks.add(1024, 4096, 2);
    assertEquals(position, blocks.first());
    blocks.remove(1024, 4096);
    blocks.add(2048, 8192, 3);
    assertEquals(position, blocks.first());
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
        Key key = new Key(512L * random.nextInt(sizes), random.nextLong(), step);
        if (model.add(key)) {
          live.add(key);
          blocks.add(key.bytes, key.address, key.block);
        }
      } else if (random.nextInt(3) == 0) {
        int index = random.nextInt(live.size());
        Key old = live.get(index);
        Key key = new Key(512L * random.nextInt(sizes), random.nextLong(), step);
        if (model.add(key)) {
          model.remove(old);
          live.set(index, key);
          blocks.replace(old.bytes, old.address, key.bytes, key.address, key.block);
        }
      } else {
        int index = random.nextInt(live.size());
        Key key = live.set(index, live.getLast());
        live.removeLast();
        model.remove(key);
        if (step % 2 == 0) {
          blocks.remove(key.bytes, key.address);
        } else {
          blocks.removeAt(blocks.ceiling(key.bytes, key.address));
        }
        assertFalse(blocks.contains(key.bytes, key.address));
      }
      assertEquals(model.size(), blocks.size());
      Key wanted = new Key(512L * random.nextInt(sizes), random.nextInt(3) - 1, 0);
      int position = blocks.ceiling(wanted.bytes, wanted.address);
      assertEquals(model.ceiling(wanted), at(position));
      if (position != OrderedBlocks.NONE) {
        assertEquals(model.higher(at(position)), at(blocks.next(position)));
        assertEquals(model.lower(at(position)), at(blocks.previous(position)));
      }
      assertEquals(model.isEmpty() ? null : model.first(), at(blocks.first()));
      assertEquals(model.isEmpty() ? null : model.last(), at(blocks.last()));
      if (step % 1000 == 0) {
        assertArrayEquals(
            model.stream().mapToInt(Key::block).toArray(),
            Arrays.copyOf(blocks.copyTo(new int[0], 0), model.size()));
      }
    }
  }

  @Test
  void blockThatIsNotInTheSetCannotBeRemoved() {
    blocks.add(512, 1, 0);
    assertTrue(blocks.contains(512, 1));
    assertThrows(IllegalStateException.class, () -> blocks.remove(512, 2));
    assertThrows(IllegalStateException.class, () -> blocks.remove(1024, 1));
  }
}
