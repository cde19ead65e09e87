package org.allocsim.reports.html;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SegmentColumnsTest {
  private static final int PAGES = 64;

  /** The pages that pieces cover. */
  private static BitSet pages(Map<Long, SegmentColumns.Piece> pieces) {
    BitSet pages = new BitSet();
    pieces.forEach((address, piece) -> {
      for (long page = address; page < address + piece.bytes(); page++) {
        assertEquals(false, pages.get((int) page), "two pieces hold page " + page);
        pages.set((int) page);
      }
    });
    return pages;
  }

  @Test
  void whatIsHeldIsWhatWasMappedAndNotUnmappedSince() {
    SplittableRandom random = new SplittableRandom(11);
    for (int round = 0; round < 300; round++) {
      SegmentColumns columns = new SegmentColumns();
      BitSet held = new BitSet();
      List<BitSet> after = new ArrayList<>();
      for (int event = 0; event < 40; event++) {
        int from = random.nextInt(PAGES);
        boolean maps = !held.get(from);
        int limit = maps ? held.nextSetBit(from) : held.nextClearBit(from);
        int max = (limit < 0 || limit > PAGES ? PAGES : limit) - from;
        int pages = 1 + random.nextInt(max);
        held.set(from, from + pages, maps);
        columns.add(
            maps ? SegmentColumns.MAPPED : SegmentColumns.UNMAPPED, false, event, from, pages, 0);
        after.add((BitSet) held.clone());
      }
      for (int event = 0; event < after.size(); event++) {
        assertEquals(after.get(event), pages(columns.heldAfter(event)), "after " + event);
      }
    }
  }

  @Test
  void thePeakIsTheRequestThatFirstReachedIt() {
    SegmentColumns columns = new SegmentColumns();
    columns.add(SegmentColumns.ALLOCATED, false, 3, 0, 10, 0);
    columns.add(SegmentColumns.FREED, false, 5, 0, 10, 0);
    columns.add(SegmentColumns.ALLOCATED, false, 7, 0, 10, 0);
    assertEquals(3, columns.peakEvent());
  }
}
