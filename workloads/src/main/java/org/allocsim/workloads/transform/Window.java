package org.allocsim.workloads.transform;

import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * A part of a program. What the program holds when the part begins becomes the part's prologue, in
 * the order in which it was made, together with uses on other streams that are not over. Rows about
 * allocations that were given back before are left out.
 *
 * <p>The allocator's cache at the begin of the part is not known from requests: it starts empty,
 * and blocks of the prologue lie side by side.
 *
 * @param from first row of the part
 * @param to row after its last
 */
public record Window(int from, int to) {
  /** Refuses parts that are none. */
  public Window {
    if (from < 0 || to < from) {
      throw new IllegalArgumentException("rows " + from + " to " + to + " are not part of a trace");
    }
  }

  /**
   * Cuts the part out of a trace.
   *
   * @throws IllegalArgumentException where the trace has no such rows
   */
  public AllocationTrace of(AllocationTrace trace) {
    if (to > trace.eventCount()) {
      throw new IllegalArgumentException(
          "row " + to + " is after the last of " + trace.eventCount());
    }
    TraceCopy copy = new TraceCopy(trace);
    int begin = Math.max(from, Math.min(to, trace.prologueCount()));
    LiveRows live = new LiveRows(trace);
    live.advanceTo(begin);
    live.rows().forEach(copy::prologueRow);
    copy.endPrologue();
    boolean[] hostBuffers = new boolean[trace.hostBufferCount()];
    for (int row : live.rows()) {
      if (trace.kind(row) == RequestKind.HOST_ALLOCATE) {
        hostBuffers[trace.hostBuffer(row)] = true;
      }
    }
    for (int event = begin; event < to; event++) {
      boolean known =
          switch (trace.kind(event)) {
            case FREE, USE_STREAM, USE_COMPLETE -> copy.holds(trace.allocation(event));
            case HOST_ALLOCATE -> {
              hostBuffers[trace.hostBuffer(event)] = true;
              yield true;
            }
            case HOST_FREE, HOST_USE_STREAM -> hostBuffers[trace.hostBuffer(event)];
            default -> true;
          };
      if (known) {
        copy.row(event);
      }
    }
    return copy.build();
  }
}
