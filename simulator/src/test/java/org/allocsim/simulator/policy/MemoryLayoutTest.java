package org.allocsim.simulator.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MemoryLayoutTest {
  @Test
  void segmentsAndTheirBlocksAreKeptAsShown() {
    MemoryLayout.Builder builder = new MemoryLayout.Builder();
    builder.segment(0x1000, 300, 2, true, 4, false);
    builder.block(0x1000, 100, 90, LayoutVisitor.BlockState.ACTIVE_ALLOCATED, 7);
    builder.block(0x1064, 200, 0, LayoutVisitor.BlockState.INACTIVE, -1);
    builder.segment(0x9000, 50, 1, false, 3, true, 0x8000);
    builder.block(0x9000, 50, 40, LayoutVisitor.BlockState.ACTIVE_PENDING_FREE, 8);
    MemoryLayout layout = builder.build();

    assertEquals(2, layout.segmentCount());
    assertEquals(0x1000, layout.segmentAddress(0));
    assertEquals(300, layout.segmentBytes(0));
    assertEquals(2, layout.stream(0));
    assertTrue(layout.isSmall(0));
    assertEquals(4, layout.segmentPool(0));
    assertFalse(layout.isExpandable(0));
    assertEquals(0x1000, layout.reservationAddress(0), "a segment is its own range");
    assertFalse(layout.isSmall(1));
    assertTrue(layout.isExpandable(1));
    assertEquals(0x8000, layout.reservationAddress(1));

    assertEquals(0, layout.firstBlock(0));
    assertEquals(2, layout.firstBlock(1));
    assertEquals(3, layout.firstBlock(2));
    assertEquals(3, layout.blockCount());
    assertEquals(0x1064, layout.blockAddress(1));
    assertEquals(200, layout.blockBytes(1));
    assertEquals(90, layout.requestedBytes(0));
    assertEquals("active_pending_free", layout.state(2).label());
    assertEquals(7, layout.allocation(0));
    assertEquals(-1, layout.allocation(1));
  }
}
