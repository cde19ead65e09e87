package org.allocsim.simulator.engine;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.function.Consumer;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.junit.jupiter.api.Test;

/** Each rule is broken by a layout that breaks nothing else. */
class InvariantCheckerTest {
  private final InvariantChecker checker = new InvariantChecker(InvariantChecker.UNLIMITED);

  @Test
  void nothingIsSound() {
    assertDoesNotThrow(() -> checker.check(showing(layout -> {})));
  }

  @Test
  void aLayoutThatAgreesWithTheEffectsIsSound() {
    checker.segmentAllocated(0x1000, 3072, 0, true);
    checker.blockAllocated(0, 0x1000, 1000, 1024, 0, true);
    checker.blockAllocated(1, 0x1400, 700, 1024, 0, true);
    checker.freeRequested(1, 0x1400, 700, 1024, 0, true);
    AllocatorPolicy policy =
        showing(layout -> {
          segment(layout, 0x1000, 3072);
          layout.block(0x1000, 1024, 1000, BlockState.ACTIVE_ALLOCATED, 0);
          layout.block(0x1400, 1024, 700, BlockState.ACTIVE_PENDING_FREE, 1);
          layout.block(0x1800, 1024, 5000, BlockState.INACTIVE, -1);
        });
    assertDoesNotThrow(() -> checker.check(policy));
    checker.freeCompleted(1, 0x1400, 700, 1024, 0, true);
    assertBroken("the effects add up to 1024 active bytes, but the layout shows 2048", policy);
  }

  @Test
  void aRestoredLayoutIsTheStart() {
    AllocatorPolicy policy =
        showing(layout -> {
          segment(layout, 0x1000, 1024);
          layout.block(0x1000, 1024, 1000, BlockState.ACTIVE_ALLOCATED, 0);
        });
    assertBroken("the effects add up to 0 allocated bytes, but the layout shows 1024", policy);
    checker.startFrom(policy);
    assertDoesNotThrow(() -> checker.check(policy));
  }

  @Test
  void mappedAndUnmappedBytesAreReserved() {
    checker.segmentMapped(0x1000, 4096, 0, false);
    checker.segmentUnmapped(0x1800, 2048, 0, false);
    assertDoesNotThrow(() -> checker.check(freeSegments(0x1000, 2048)));
    checker.segmentFreed(0x1000, 2048, 0, false);
    assertBroken(
        "the effects add up to 0 reserved bytes, but the layout shows 2048",
        freeSegments(0x1000, 2048));
  }

  @Test
  void segmentsMayTouchButNotOverlap() {
    checker.segmentAllocated(0, 2048, 0, false);
    assertDoesNotThrow(() -> checker.check(freeSegments(0x1000, 1024, 0x1400, 1024)));
    assertBroken(
        "segment 0x13ff begins before 0x1400, the end of the previous one",
        freeSegments(0x1000, 1024, 0x13ff, 1024));
  }

  @Test
  void addressesAreUnsigned() {
    checker.segmentAllocated(0, 2048, 0, false);
    assertDoesNotThrow(
        () -> checker.check(freeSegments(0x1000, 1024, 0x9000_0000_0000_0000L, 1024)));
  }

  @Test
  void aSegmentHasBytes() {
    assertBroken("segment 0x1000 has 0 bytes", freeSegments(0x1000, 0));
  }

  @Test
  void blocksTileTheirSegment() {
    checker.segmentAllocated(0x1000, 2048, 0, false);
    assertBroken(
        "the blocks of segment 0x1000 end at 0x1400, not at its end 0x1800",
        blocksIn(0x1000, 2048, 0x1000, 1024));
    assertBroken(
        "the blocks of segment 0x1000 end at 0x1000, not at its end 0x1800",
        blocksIn(0x1000, 2048));
    assertBroken(
        "block 0x1600 of 512 bytes does not fit at 0x1400 in segment 0x1000, which ends at 0x1800",
        blocksIn(0x1000, 2048, 0x1000, 1024, 0x1600, 512));
    assertBroken(
        "block 0x1000 of 4096 bytes does not fit at 0x1000 in segment 0x1000, which ends at 0x1800",
        blocksIn(0x1000, 2048, 0x1000, 4096));
    assertBroken(
        "block 0x1000 of 0 bytes does not fit at 0x1000 in segment 0x1000, which ends at 0x1800",
        blocksIn(0x1000, 2048, 0x1000, 0));
  }

  @Test
  void aBlockLiesInASegment() {
    assertBroken(
        "block 0x1000 is outside every segment",
        showing(layout -> layout.block(0x1000, 512, 0, BlockState.INACTIVE, -1)));
  }

  @Test
  void freeNeighboursAreMerged() {
    assertBroken(
        "block 0x1400 is free, and so is the previous one in segment 0x1000",
        blocksIn(0x1000, 2048, 0x1000, 1024, 0x1400, 1024));
  }

  @Test
  void aBlockIsNotSmallerThanItsRequest() {
    assertBroken(
        "block 0x1000 of 512 bytes serves a request of 513 bytes",
        showing(layout -> {
          segment(layout, 0x1000, 512);
          layout.block(0x1000, 512, 513, BlockState.ACTIVE_ALLOCATED, 0);
        }));
  }

  @Test
  void reservedBytesStayBelowTheLimit() {
    InvariantChecker limited = new InvariantChecker(1024);
    limited.segmentAllocated(0x1000, 1024, 0, false);
    assertDoesNotThrow(() -> limited.check(freeSegments(0x1000, 1024)));
    limited.segmentAllocated(0x2000, 512, 0, false);
    InvariantViolation violation =
        assertThrows(
            InvariantViolation.class, () -> limited.check(freeSegments(0x1000, 1024, 0x2000, 512)));
    assertEquals("1536 bytes are reserved, but only 1024 are allowed", violation.getMessage());
  }

  private void assertBroken(String sentence, AllocatorPolicy policy) {
    InvariantViolation violation =
        assertThrows(InvariantViolation.class, () -> checker.check(policy));
    assertEquals(sentence, violation.getMessage());
  }

  private static void segment(LayoutVisitor layout, long address, long bytes) {
    layout.segment(address, bytes, 0, false, 0, false);
  }

  /** Segments of one free block each; address and bytes by turns. */
  private static AllocatorPolicy freeSegments(long... segments) {
    return showing(layout -> {
      for (int i = 0; i < segments.length; i += 2) {
        segment(layout, segments[i], segments[i + 1]);
        layout.block(segments[i], segments[i + 1], 0, BlockState.INACTIVE, -1);
      }
    });
  }

  /** One segment of free blocks; address and bytes by turns. */
  private static AllocatorPolicy blocksIn(long address, long bytes, long... blocks) {
    return showing(layout -> {
      segment(layout, address, bytes);
      for (int i = 0; i < blocks.length; i += 2) {
        layout.block(blocks[i], blocks[i + 1], 0, BlockState.INACTIVE, -1);
      }
    });
  }

  private static AllocatorPolicy showing(Consumer<LayoutVisitor> layout) {
    return new AllocatorPolicy() {
      @Override
      public long allocate(int allocation, long requestedBytes, int stream, int pool) {
        throw new UnsupportedOperationException();
      }

      @Override
      public void free(int allocation) {
        throw new UnsupportedOperationException();
      }

      @Override
      public void describeLayout(LayoutVisitor visitor) {
        layout.accept(visitor);
      }
    };
  }
}
