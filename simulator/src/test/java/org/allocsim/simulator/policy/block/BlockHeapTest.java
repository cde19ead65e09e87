package org.allocsim.simulator.policy.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.SizeOrderedRows;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.junit.jupiter.api.Test;

class BlockHeapTest {
  private static final int STREAM = 3;

  private final List<String> effects = new ArrayList<>();
  private final BlockHeap heap =
      new BlockHeap(
          new EffectListener() {
            @Override
            public void segmentAllocated(long address, long bytes, int stream, boolean small) {
              effects.add("segment %d %d %d %b".formatted(address, bytes, stream, small));
            }

            @Override
            public void segmentFreed(long address, long bytes, int stream, boolean small) {
              effects.add("gone %d %d %d %b".formatted(address, bytes, stream, small));
            }

            @Override
            public void segmentMapped(long address, long bytes, int stream, boolean small) {
              effects.add("mapped %d %d %d %b".formatted(address, bytes, stream, small));
            }

            @Override
            public void segmentUnmapped(long address, long bytes, int stream, boolean small) {
              effects.add("unmapped %d %d %d %b".formatted(address, bytes, stream, small));
            }

            @Override
            public void blockAllocated(
                int id, long address, long requested, long bytes, int stream, boolean small) {
              effects.add("take %d %d %d %d %d".formatted(id, address, requested, bytes, stream));
            }

            @Override
            public void freeRequested(
                int id, long address, long requested, long bytes, int stream, boolean small) {
              effects.add("give %d %d %d %d %d".formatted(id, address, requested, bytes, stream));
            }

            @Override
            public void freeCompleted(
                int id, long address, long requested, long bytes, int stream, boolean small) {
              effects.add("free %d %d %d %d %d".formatted(id, address, requested, bytes, stream));
            }

            @Override
            public void inactiveSplitChanged(int blocks, long bytes, boolean small) {
              effects.add("splits %d %d".formatted(blocks, bytes));
            }
          });

  private void assertEffects(String... expected) {
    assertEquals(List.of(expected), effects);
    effects.clear();
  }

  /** Segments as {@code address+bytes/stream}, each followed by its blocks. */
  private String layout() {
    StringBuilder text = new StringBuilder();
    heap.describe(
        new LayoutVisitor() {
          @Override
          public void segment(
              long address, long bytes, int stream, boolean small, int pool, boolean expandable) {
            assertFalse(small);
            text.append("[%d+%d/%d]".formatted(address, bytes, stream));
          }

          @Override
          public void block(
              long address, long bytes, long requestedBytes, BlockState state, int allocation) {
            text.append(
                switch (state) {
                  case INACTIVE -> " %d".formatted(bytes);
                  case ACTIVE_ALLOCATED -> " %d:%d=%d".formatted(bytes, allocation, requestedBytes);
                  case ACTIVE_PENDING_FREE -> " %d:%d!".formatted(bytes, allocation);
                });
          }
        });
    return text.toString();
  }

  @Test
  void aBlockIsSplitTakenReleasedAndMerged() {
    int block = heap.addSegment(1000, 100, STREAM);
    assertEquals(1, heap.segmentCount());
    assertTrue(heap.coversSegment(block));
    int rest = heap.split(block, 30);
    heap.take(block, 7, 25, 5);
    assertEffects("segment 1000 100 3 false", "take 7 1000 25 30 5", "splits 1 70");
    assertEquals("[1000+100/5] 30:7=25 70", layout());
    assertEquals(block, heap.block(7));
    assertEquals(rest, heap.next(block));
    assertEquals(block, heap.previous(rest));
    assertEquals(STREAM, heap.stream(rest));
    assertEquals(7, heap.allocation(block));
    assertEquals(25, heap.requestedBytes(block));
    assertFalse(heap.isFree(block));
    assertTrue(heap.isFree(rest));
    assertFalse(heap.coversSegment(rest));

    assertEquals(block, heap.release(7));
    heap.mergeNext(block);
    heap.settle();
    assertEffects("give 7 1000 25 30 5", "free 7 1000 25 30 5", "splits -1 -70");
    assertEquals(BlockHeap.NONE, heap.block(7));
    assertEquals(BlockHeap.NONE, heap.release(7));
    assertFalse(heap.isBlock(rest));
    heap.settle();
    assertEffects();

    heap.setStream(block, 9);
    heap.removeSegment(block);
    assertEffects("gone 1000 100 9 false");
    assertEquals(0, heap.segmentCount());
    assertFalse(heap.isBlock(block));
  }

  @Test
  void aBlockThatIsGivenBackWhileInUseIsPendingUntilTheFreeIsComplete() {
    int block = heap.addSegment(0, 64, STREAM);
    heap.take(block, 2000, 60, STREAM);
    effects.clear();
    assertEquals(block, heap.requestFree(2000));
    assertTrue(heap.isPending(block));
    assertEquals(BlockHeap.NONE, heap.requestFree(2000));
    assertEquals("[0+64/3] 64:2000!", layout());
    assertEffects("give 2000 0 60 64 3");
    heap.completeFree(block);
    assertFalse(heap.isPending(block));
    assertTrue(heap.isFree(block));
    assertEffects("free 2000 0 60 64 3");
    assertEquals("[0+64/3] 64", layout());
  }

  @Test
  void partsOfABlockInUseCanBeCutOffAndJoined() {
    int block = heap.addSegment(0, 100, STREAM);
    heap.take(block, 1, 40, STREAM);
    effects.clear();
    int rest = heap.split(block, 40);
    heap.settle();
    assertEffects("splits 1 60");
    assertEquals("[0+100/3] 40:1=40 60", layout());
    heap.mergeNext(block);
    heap.settle();
    assertEffects("splits -1 -60");
    assertEquals("[0+100/3] 100:1=40", layout());
    assertFalse(heap.isBlock(rest));
  }

  @Test
  void aRowThatIsGoneIsUsedAgainWithoutWhatItHeld() {
    int block = heap.addSegment(0, 100, STREAM);
    int rest = heap.split(block, 50);
    heap.take(rest, 1, 33, 8);
    heap.release(1);
    heap.mergeNext(block);
    int again = heap.addSegment(500, 10, 2);
    assertEquals(rest, again);
    assertTrue(heap.coversSegment(again));
    assertEquals(0, heap.requestedBytes(again));
    assertEquals(2, heap.stream(again));
    assertTrue(heap.isFree(again));
    assertEquals(3, heap.rows());
  }

  @Test
  void aBlockThatIsCutLiesBeforeTheOneAfterIt() {
    int low = heap.addSegment(0, 100, STREAM);
    int high = heap.split(low, 50);
    heap.settle();
    effects.clear();
    int middle = heap.split(low, 20);
    heap.settle();
    assertEffects("splits 1 0");
    assertEquals("[0+100/3] 20 30 50", layout());
    assertEquals(middle, heap.previous(high));
    heap.mergeNext(low);
    int again = heap.addSegment(500, 10, STREAM);
    assertEquals(middle, again);
    assertTrue(heap.coversSegment(again));
    assertEquals("[0+100/3] 50 50[500+10/3] 10", layout());
  }

  @Test
  void segmentsAreShownByUnsignedAddress() {
    heap.addSegment(Long.MIN_VALUE, 20, 1);
    heap.addSegment(1000, 30, 2);
    assertEquals("[1000+30/2] 30[-9223372036854775808+20/1] 20", layout());
  }

  @Test
  void segmentsThatTouchAreJoined() {
    int low = heap.addSegment(1000, 50, STREAM);
    int high = heap.addSegment(1050, 70, STREAM);
    effects.clear();
    heap.joinSegments(low, high);
    heap.settle();
    assertEffects("splits 2 120");
    assertEquals(1, heap.segmentCount());
    assertEquals("[1000+120/3] 50 70", layout());
    assertThrows(IllegalStateException.class, () -> heap.joinSegments(low, high));
    int apart = heap.addSegment(1200, 10, STREAM);
    assertThrows(IllegalStateException.class, () -> heap.joinSegments(high, apart));
    assertThrows(IllegalStateException.class, () -> heap.joinSegments(low, apart));
  }

  @Test
  void segmentsThatAreSplitAlreadyHaveNoMoreSplitsWhenJoined() {
    int low = heap.addSegment(1000, 50, STREAM);
    int lowEnd = heap.split(low, 20);
    int high = heap.addSegment(1050, 70, STREAM);
    heap.split(high, 30);
    heap.settle();
    effects.clear();
    heap.joinSegments(lowEnd, high);
    heap.settle();
    assertEffects();
    assertEquals("[1000+120/3] 20 30 30 40", layout());
  }

  @Test
  void aBlockIsOfItsSegmentsStreamUnlessAnAllocationHasItsOwn() {
    int block = heap.addSegment(0, 64, STREAM);
    heap.take(block, 1, 60);
    assertEffects("segment 0 64 3 false", "take 1 0 60 64 3");
  }

  @Test
  void memoryIsMappedAtTheEndOfARangeAndUnmappedFromThere() {
    int first = heap.map(BlockHeap.NONE, 1000, 20, STREAM);
    assertEquals(1, heap.segmentCount());
    int second = heap.map(first, 1020, 20, STREAM);
    heap.settle();
    assertEffects("mapped 1000 20 3 false", "mapped 1020 20 3 false", "splits 2 40");
    assertEquals(1, heap.segmentCount());
    assertEquals("[1000+40/3] 20 20", layout());
    assertThrows(IllegalStateException.class, () -> heap.map(first, 1020, 5, STREAM));
    assertThrows(IllegalStateException.class, () -> heap.map(second, 1050, 5, STREAM));
    assertThrows(IllegalStateException.class, () -> heap.unmap(first));
    effects.clear();
    int third = heap.map(second, 1040, 10, STREAM);
    heap.settle();
    assertEffects("mapped 1040 10 3 false", "splits 1 10");
    heap.unmap(third);
    heap.settle();
    assertEffects("unmapped 1040 10 3 false", "splits -1 -10");
    heap.unmap(second);
    heap.settle();
    assertEffects("unmapped 1020 20 3 false", "splits -2 -40");
    heap.unmap(first);
    assertEffects("unmapped 1000 20 3 false");
    assertEquals(0, heap.segmentCount());
    assertEquals("", layout());
  }

  @Test
  void whatIsInUseIsNeitherRemovedNorMerged() {
    int block = heap.addSegment(0, 100, STREAM);
    int rest = heap.split(block, 50);
    assertThrows(IllegalStateException.class, () -> heap.removeSegment(block));
    heap.take(rest, 1, 50, STREAM);
    assertThrows(IllegalStateException.class, () -> heap.mergeNext(block));
    assertThrows(IllegalStateException.class, () -> heap.unmap(rest));
    int whole = heap.addSegment(200, 10, STREAM);
    heap.take(whole, 2, 10, STREAM);
    assertThrows(IllegalStateException.class, () -> heap.removeSegment(whole));
  }

  @Test
  void allocationsAreFoundHoweverLargeTheirIdsAre() {
    int block = heap.addSegment(0, 100, STREAM);
    int rest = heap.split(block, 50);
    assertEquals(BlockHeap.NONE, heap.block(1024));
    heap.take(block, 1024, 50, STREAM);
    heap.take(rest, 5000, 50, STREAM);
    assertEquals(block, heap.block(1024));
    assertEquals(rest, heap.block(5000));
    assertEquals(BlockHeap.NONE, heap.block(4999));
  }

  @Test
  void aBlockJoinsTheFreeOnesOnBothSides() {
    SizeOrderedRows free = new SizeOrderedRows(heap);
    int low = heap.addSegment(0, 100, STREAM);
    int middle = heap.split(low, 20);
    int high = heap.split(middle, 20);
    free.add(low);
    free.add(high);
    assertEquals(low, FreeNeighbours.join(heap, free, middle));
    assertEquals("[0+100/3] 100", layout());
    assertEquals(low, free.first());
    assertEquals(1, free.size());
  }

  @Test
  void aBlockBetweenBlocksInUseJoinsNone() {
    SizeOrderedRows free = new SizeOrderedRows(heap);
    int low = heap.addSegment(0, 100, STREAM);
    int middle = heap.split(low, 20);
    int high = heap.split(middle, 20);
    heap.take(low, 0, 20, STREAM);
    heap.take(high, 1, 60, STREAM);
    assertEquals(middle, FreeNeighbours.join(heap, free, middle));
    assertEquals("[0+100/3] 20:0=20 20 60:1=60", layout());
    assertEquals(middle, free.first());
  }
}
