package org.allocsim.simulator.effect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryRecorderTest {
  private static List<String> text(EffectLog log) {
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < log.count(); i++) {
      rows.add(
          log.kind(i).action() + " " + log.address(i) + " " + log.bytes(i) + " " + log.stream(i));
    }
    return rows;
  }

  private static void fiveEvents(HistoryRecorder history) {
    history.segmentAllocated(4096, 2 << 20, 3, true);
    history.blockAllocated(0, 4096, 700, 1024, 3, true);
    history.freeRequested(0, 4096, 700, 1024, 3, true);
    history.freeCompleted(0, 4096, 700, 1024, 3, true);
    history.outOfMemory(new OutOfMemory(1, 700, 1024, 2 << 20, 3, -1, 0, 99, -1));
  }

  @Test
  void entriesAreRecordedAsPyTorchDoes() {
    HistoryRecorder history = new HistoryRecorder(Long.MAX_VALUE);
    fiveEvents(history);
    history.segmentMapped(8192, 40, 1, false);
    history.segmentUnmapped(8192, 20, 1, false);
    history.segmentFreed(4096, 2 << 20, 3, true);
    history.inactiveSplitChanged(1, 512, true);
    assertEquals(
        List.of(
            "segment_alloc 4096 2097152 3",
            "alloc 4096 700 3",
            "free_requested 4096 700 3",
            "free_completed 4096 700 3",
            "oom 99 1024 3",
            "segment_map 8192 40 1",
            "segment_unmap 8192 20 1",
            "segment_free 4096 2097152 3"),
        text(history.entries()));
    assertEquals(8, history.count());
  }

  @Test
  void case61_snapshotDoesNotContainItsOwnEntryButTheOneBefore() {
    HistoryRecorder history = new HistoryRecorder(Long.MAX_VALUE);
    history.segmentAllocated(4096, 2 << 20, 0, true);
    history.blockAllocated(0, 4096, 700, 1024, 0, true);
    List<String> first = text(history.snapshot(1024));
    assertEquals(List.of("segment_alloc 4096 2097152 0", "alloc 4096 700 0"), first);
    List<String> expected = new ArrayList<>(first);
    expected.add("snapshot 0 1024 0");
    assertEquals(expected, text(history.snapshot(2048)));
    expected.add("snapshot 0 2048 0");
    assertEquals(expected, text(history.entries()));
  }

  @Test
  void case62_fullRingKeepsTheLastEntriesOldestFirst() {
    HistoryRecorder history = new HistoryRecorder(3);
    fiveEvents(history);
    assertEquals(
        List.of("free_requested 4096 700 3", "free_completed 4096 700 3", "oom 99 1024 3"),
        text(history.entries()));
    assertEquals(2, history.lostEntries());
  }

  @Test
  void case63_stateHistoryKeepsOneEntry() {
    HistoryRecorder history = HistoryRecorder.ofState();
    fiveEvents(history);
    assertEquals(List.of("oom 99 1024 3"), text(history.entries()));
    assertEquals(4, history.lostEntries());
  }

  @Test
  void capacityIsAtLeastOne() {
    HistoryRecorder history = new HistoryRecorder(0);
    fiveEvents(history);
    assertEquals(1, history.count());
  }

  @Test
  void ringThatIsExactlyFullLosesNothing() {
    HistoryRecorder history = new HistoryRecorder(5);
    fiveEvents(history);
    assertEquals(0, history.lostEntries());
    assertEquals("segment_alloc 4096 2097152 3", text(history.entries()).get(0));
  }

  @Test
  void everyWindowOfALongHistoryIsInOrder() {
    for (int max : new int[] {1, 2, 7, 1023, 1024, 1025, 3000}) {
      HistoryRecorder history = new HistoryRecorder(max);
      for (int i = 0; i < 5000; i++) {
        history.segmentAllocated(i, 512, 0, true);
      }
      EffectLog log = history.entries();
      assertEquals(max, log.count());
      for (int i = 0; i < max; i++) {
        assertEquals(5000 - max + i, log.address(i));
      }
      assertEquals(5000 - max, history.lostEntries());
    }
  }
}
