package org.allocsim.simulator.order;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressOrderTest {
  private record Block(int row, long bytes) {}

  private final AddressOrder blocks = new AddressOrder();
  private final NavigableMap<Long, Block> model = new TreeMap<>();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void searchesFindWhatASortedMapFinds(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Integer> unused = new ArrayList<>();
    for (int row = 1; row <= 700; row++) {
      unused.add(row);
    }
    for (int step = 0; step < 20_000; step++) {
      int choice = random.nextInt(10);
      long address = random.nextLong(1 << 20) * 16;
      long bytes = 1 + random.nextLong(1L << random.nextInt(1, 30));
      Map.Entry<Long, Block> near = model.floorEntry(address);
      long moved = near == null ? 0 : placeBetweenNeighbours(near.getKey(), random);
      boolean fills = step / 3000 % 2 == 0;
      if (choice < (fills ? 6 : 3) && !unused.isEmpty() && !model.containsKey(address)) {
        int row = unused.removeLast();
        blocks.add(row, address, bytes);
        model.put(address, new Block(row, bytes));
      } else if (near != null && choice < 7) {
        blocks.remove(near.getValue().row());
        model.remove(near.getKey());
        unused.add(near.getValue().row());
      } else if (near != null && choice == 7) {
        blocks.resize(near.getValue().row(), moved, bytes);
        move(near, moved, near.getValue().row(), bytes);
      } else if (near != null && choice == 8 && !unused.isEmpty()) {
        int row = unused.removeFirst();
        blocks.replace(near.getValue().row(), row, moved, bytes);
        unused.add(near.getValue().row());
        move(near, moved, row, bytes);
      }
      compareSearches(address, bytes);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTreeThatShrinksToNothingGrowsAgain(boolean shrinksFromTheEnd) {
    int count = 5000;
    for (int round = 0; round < 3; round++) {
      for (int block = 1; block <= count; block++) {
        blocks.add(block, 16L * block, block);
      }
      for (int i = 0; i < count; i++) {
        int block = shrinksFromTheEnd ? count - i : i + 1;
        assertEquals(block, blocks.lowestFrom(16L * block, 1));
        assertEquals(shrinksFromTheEnd ? 1 : block, blocks.lowest(1));
        assertEquals(shrinksFromTheEnd ? block : count, blocks.floor(16L * count));
        blocks.remove(block);
        assertEquals(AddressOrder.NONE, blocks.floor(15));
      }
      assertEquals(0, blocks.size());
      assertEquals(AddressOrder.NONE, blocks.lowest(0));
    }
  }

  private long placeBetweenNeighbours(long address, SplittableRandom random) {
    Long below = model.lowerKey(address);
    Long above = model.higherKey(address);
    return random.nextLong(below == null ? 0 : below + 1, above == null ? 1 << 25 : above);
  }

  private void move(Map.Entry<Long, Block> old, long address, int row, long bytes) {
    model.remove(old.getKey());
    model.put(address, new Block(row, bytes));
  }

  private void compareSearches(long address, long bytes) {
    assertEquals(model.size(), blocks.size());
    assertEquals(lowest(model, bytes), blocks.lowest(bytes));
    assertEquals(lowest(model.tailMap(address), bytes), blocks.lowestFrom(address, bytes));
    Map.Entry<Long, Block> floor = model.floorEntry(address);
    assertEquals(floor == null ? AddressOrder.NONE : floor.getValue().row(), blocks.floor(address));
  }

  private static int lowest(Map<Long, Block> ascending, long bytes) {
    for (Block block : ascending.values()) {
      if (block.bytes() >= bytes) {
        return block.row();
      }
    }
    return AddressOrder.NONE;
  }
}
