package org.allocsim.workloads.transform;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.trace.AllocationTrace;

/** What a program holds after some of its rows, and which uses on other streams are not over. */
final class LiveRows {
  private final AllocationTrace trace;
  private final BitSet liveRows = new BitSet();

  /** Rows of uses that are not over, by allocation. */
  private final Map<Integer, List<Integer>> uses = new HashMap<>();

  private final int[] rowOfAllocation;
  private final int[] rowOfHostBuffer;
  private int next;

  LiveRows(AllocationTrace trace) {
    this.trace = trace;
    rowOfAllocation = new int[trace.allocationCount()];
    rowOfHostBuffer = new int[trace.hostBufferCount()];
  }

  /** Goes on to the rows before this one. */
  void advanceTo(int row) {
    while (next < row) {
      see(next++);
    }
  }

  private void see(int event) {
    int subject = trace.allocation(event);
    switch (trace.kind(event)) {
      case ALLOCATE, RESTORE_BLOCK -> {
        rowOfAllocation[subject] = event;
        liveRows.set(event);
      }
      case FREE -> {
        liveRows.clear(rowOfAllocation[subject]);
        uses.remove(subject);
      }
      case HOST_ALLOCATE -> {
        rowOfHostBuffer[subject] = event;
        liveRows.set(event);
      }
      case HOST_FREE -> liveRows.clear(rowOfHostBuffer[subject]);
      case USE_STREAM -> uses.computeIfAbsent(subject, _ -> new ArrayList<>()).add(event);
      case USE_COMPLETE -> {
        if (trace.stream(event) == AllocationTrace.ANY_STREAM) {
          uses.remove(subject);
        } else if (uses.containsKey(subject)) {
          uses.get(subject).removeIf(use -> trace.stream(use) == trace.stream(event));
        }
      }
      case SYNCHRONIZE ->
          uses.values()
              .forEach(rows -> rows.removeIf(use -> trace.device(use) == trace.device(event)));
      case SYNCHRONIZE_STREAM ->
          uses.values()
              .forEach(rows ->
                  rows.removeIf(use ->
                      trace.device(use) == trace.device(event)
                          && trace.stream(use) == trace.stream(event)));
      default -> {}
    }
  }

  /** Rows that made what is held, and those of its outstanding uses after them, in order. */
  List<Integer> rows() {
    List<Integer> rows = new ArrayList<>();
    liveRows.stream().forEach(rows::add);
    uses.values().stream().flatMap(List::stream).sorted().forEach(rows::add);
    return rows;
  }
}
