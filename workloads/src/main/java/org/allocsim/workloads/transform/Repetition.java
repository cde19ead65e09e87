package org.allocsim.workloads.transform;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * A program that is run several times over, each time from the same start. Every pass has
 * allocations of its own. At a seam the host waits for the devices, what the pass has left is given
 * back in the order in which it was made, and what it gave back of the prologue is made again; the
 * allocator's cache stays as it is. Times go on after those of the pass before.
 */
public final class Repetition {
  /** Rows that a repeated program has at most, some 15 GB of them. */
  private static final long MAX_ROWS = 500_000_000L;

  private static final long SEAM_NANOS = 1_000;

  private Repetition() {}

  /**
   * A copy of a trace whose rows after the prologue come several times.
   *
   * @throws IllegalArgumentException where there are no times or too many
   */
  public static AllocationTrace of(AllocationTrace trace, int times) {
    if (times < 1) {
      throw new IllegalArgumentException(times + " is less than 1");
    }
    if (trace.eventCount() == 0) {
      throw new IllegalArgumentException("it has no requests to repeat");
    }
    if ((long) times * trace.eventCount() > MAX_ROWS) {
      throw new IllegalArgumentException(
          "%s times %s rows exceed %s; repeat fewer times"
              .formatted(times, trace.eventCount(), MAX_ROWS));
    }
    int first = trace.prologueCount();
    LiveRows start = new LiveRows(trace);
    start.advanceTo(first);
    Set<Integer> atStart = new HashSet<>(start.rows());
    start.advanceTo(trace.eventCount());
    List<Integer> atEnd = new ArrayList<>(start.rows());
    TraceCopy copy = new TraceCopy(trace);
    for (int event = 0; event < first; event++) {
      copy.row(event);
    }
    copy.endPrologue();
    long length = lengthNanos(trace) + SEAM_NANOS;
    for (int pass = 0; pass < times; pass++) {
      long shift = pass * length;
      for (int event = first; event < trace.eventCount(); event++) {
        copy.row(event, trace.bytes(event), trace.timeNanos(event) + shift);
      }
      if (pass + 1 < times) {
        seam(trace, copy, atStart, atEnd, trace.timeNanos(trace.eventCount() - 1) + shift);
      }
    }
    return copy.build();
  }

  private static void seam(
      AllocationTrace trace,
      TraceCopy copy,
      Set<Integer> atStart,
      List<Integer> atEnd,
      long timeNanos) {
    for (int device = 0; device < trace.deviceCount(); device++) {
      copy.synchronize(device, timeNanos);
    }
    for (int row : atEnd) {
      if (atStart.contains(row)) {
        continue;
      }
      switch (trace.kind(row)) {
        case ALLOCATE, RESTORE_BLOCK ->
            copy.freeNow(trace.allocation(row), trace.device(row), timeNanos);
        case HOST_ALLOCATE -> copy.freeHostNow(trace.hostBuffer(row), trace.device(row), timeNanos);
        default -> {}
      }
    }
    Set<Integer> stillThere = new HashSet<>(atEnd);
    for (int row : atStart.stream().sorted().toList()) {
      boolean makes = trace.kind(row) != RequestKind.USE_STREAM;
      if (makes && !stillThere.contains(row)) {
        copy.row(row, trace.bytes(row), timeNanos);
      }
    }
  }

  private static long lengthNanos(AllocationTrace trace) {
    if (trace.eventCount() == trace.prologueCount()) {
      return 0;
    }
    return trace.timeNanos(trace.eventCount() - 1) - trace.timeNanos(trace.prologueCount());
  }
}
