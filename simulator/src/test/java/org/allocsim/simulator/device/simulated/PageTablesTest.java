package org.allocsim.simulator.device.simulated;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PageTablesTest {
  private static final long MIB = 1L << 20;
  private static final long PAGE = 2 * MIB;
  private static final long BASE = 0x3_2000_0000L;

  /** When free memory first fell, of 4 000 mappings of 2 MiB; driver 580 on an H100. */
  @ParameterizedTest
  @CsvSource({"32, 4000, 0", "64, 3616, 1", "128, 1808, 2", "256, 904, 4"})
  void mappingsAtADistanceTakePagesAsRecorded(long strideMib, int first, int pages) {
    PageTables tables = new PageTables();
    int fell = 0;
    while (fell < 4000) {
      tables.map(BASE + fell * strideMib * MIB, PAGE);
      if (tables.takenBytes() > 0) {
        break;
      }
      fell++;
    }
    assertEquals(first, fell);
    for (int i = fell + 1; i < 4000; i++) {
      tables.map(BASE + i * strideMib * MIB, PAGE);
    }
    assertEquals(pages * PAGE, tables.takenBytes());
    for (int i = 0; i < 4000; i++) {
      tables.unmap(BASE + i * strideMib * MIB, PAGE);
    }
    assertEquals(0, tables.takenBytes());
  }

  @Test
  void oneSpanIsAsGoodAsItsParts() {
    PageTables whole = new PageTables();
    PageTables parts = new PageTables();
    whole.map(BASE, 600L << 30);
    for (int part = 0; part < 600; part++) {
      parts.map(BASE + ((long) part << 30), 1L << 30);
    }
    assertEquals(parts.takenBytes(), whole.takenBytes());
    assertEquals(2 * PAGE, whole.takenBytes());
    parts.unmap(BASE, 600L << 30);
    assertEquals(0, parts.takenBytes());
  }

  /**
   * Three pages of tables are emptied but for one mapping each, in an order; two new mappings go to
   * the page that was the first to have a place (driver 580 on an H200).
   */
  @ParameterizedTest
  @CsvSource({"0, 1, 2", "2, 1, 0", "1, 0, 2", "0, 2, 1", "2, 0, 1"})
  void aTableGoesToThePageThatHasHadAPlaceForTheLongestTime(int first, int second, int third) {
    PageTables tables = new PageTables();
    int[] begins = new int[4];
    int pages = 0;
    for (int place = 2; pages < 4; place++) {
      long before = tables.takenBytes();
      tables.map(at(place), PAGE);
      if (tables.takenBytes() > before) {
        begins[pages++] = place;
      }
    }
    tables.unmap(at(begins[3]), PAGE);
    int[] kept = {600, 1100, 1700};
    for (int page : new int[] {first, second, third}) {
      for (int place = begins[page]; place < begins[page + 1]; place++) {
        if (place != kept[page]) {
          tables.unmap(at(place), PAGE);
        }
      }
    }
    assertEquals(3 * PAGE, tables.takenBytes());
    tables.map(at(0), PAGE);
    tables.map(at(1), PAGE);
    for (int page : new int[] {second, third, first}) {
      tables.unmap(at(kept[page]), PAGE);
    }
    assertEquals(PAGE, tables.takenBytes());
    tables.unmap(at(0), PAGE);
    assertEquals(PAGE, tables.takenBytes());
    tables.unmap(at(1), PAGE);
    assertEquals(0, tables.takenBytes());
  }

  private static long at(int place) {
    return (1L << 40) + place * (512 * MIB);
  }

  /** A page is there as long as it has tables. */
  @Test
  void pagesAreThoseOfTheTablesThatAreUsed() {
    Random random = new Random(5);
    PageTables tables = new PageTables();
    Set<Long> mapped = new HashSet<>();
    Map<Long, Integer> counts = new HashMap<>();
    Map<Long, Integer> pageOf = new HashMap<>();
    List<Integer> open = new ArrayList<>(List.of(0));
    Map<Integer, Integer> places = new HashMap<>(Map.of(0, 453));
    int made = 1;
    for (int step = 0; step < 40_000; step++) {
      boolean grows = step / 5000 % 2 == 0;
      long address = random.nextInt(6000) * (256 * MIB);
      if (grows == mapped.contains(address)) {
        continue;
      }
      if (grows) {
        tables.map(address, PAGE);
        mapped.add(address);
      } else {
        tables.unmap(address, PAGE);
        mapped.remove(address);
      }
      long low = address / (512 * MIB);
      long high = -1 - address / (262_144 * MIB);
      for (long key : grows ? new long[] {high, low} : new long[] {low, high}) {
        int uses = counts.merge(key, grows ? 1 : -1, Integer::sum);
        if (grows && uses == 1) {
          if (open.isEmpty()) {
            open.add(made);
            places.put(made++, 512);
          }
          int page = open.getFirst();
          pageOf.put(key, page);
          if (places.merge(page, -1, Integer::sum) == 0) {
            open.removeFirst();
          }
        } else if (!grows && uses == 0) {
          Integer page = pageOf.remove(key);
          if (places.merge(page, 1, Integer::sum) == 1) {
            open.add(page);
          }
          if (places.get(page) == 512) {
            open.remove((Object) page);
            places.remove(page);
          }
        }
      }
      assertEquals((places.size() - 1) * PAGE, tables.takenBytes(), "step " + step);
    }
  }
}
