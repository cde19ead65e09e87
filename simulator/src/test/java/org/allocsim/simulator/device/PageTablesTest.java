package org.allocsim.simulator.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
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

  /** A table that is used keeps its page, and a page without tables is free. */
  @Test
  void pagesAreThoseOfTheTablesThatAreUsed() {
    Random random = new Random(5);
    PageTables tables = new PageTables();
    Map<Long, Integer> lows = new HashMap<>();
    Map<Long, Integer> pageOf = new HashMap<>();
    Map<Integer, Integer> used = new HashMap<>();
    Map<Long, Boolean> mapped = new HashMap<>();
    for (int step = 0; step < 40_000; step++) {
      boolean grows = step / 5000 % 2 == 0;
      long address = random.nextInt(6000) * (256 * MIB);
      if (grows == mapped.containsKey(address)) {
        continue;
      }
      long low = address / (512 * MIB);
      long high = -1 - address / (262_144 * MIB);
      for (long key : grows ? new long[] {high, low} : new long[] {low, high}) {
        int before = lows.getOrDefault(key, 0);
        lows.put(key, before + (grows ? 1 : -1));
        if (grows && before == 0) {
          int page = 0;
          while (used.getOrDefault(page, page == 0 ? 59 : 0) == 512) {
            page++;
          }
          // A page that has tables comes before one that has none.
          TreeSet<Integer> open = new TreeSet<>();
          used.forEach((each, count) -> {
            if (count < 512 && (each == 0 || count > 0)) {
              open.add(each);
            }
          });
          page = open.isEmpty() ? page : open.first();
          pageOf.put(key, page);
          used.merge(page, page == 0 && !used.containsKey(0) ? 60 : 1, Integer::sum);
        } else if (!grows && before == 1) {
          used.merge(pageOf.remove(key), -1, Integer::sum);
        }
      }
      if (grows) {
        tables.map(address, PAGE);
        mapped.put(address, true);
      } else {
        tables.unmap(address, PAGE);
        mapped.remove(address);
      }
      long pages =
          used.entrySet().stream().filter(each -> each.getKey() > 0 && each.getValue() > 0).count();
      assertEquals(pages * PAGE, tables.takenBytes(), "step " + step);
    }
  }
}
