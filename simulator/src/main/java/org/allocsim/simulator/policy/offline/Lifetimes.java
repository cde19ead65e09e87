package org.allocsim.simulator.policy.offline;

import java.util.Arrays;
import java.util.Objects;
import java.util.PriorityQueue;
import org.allocsim.simulator.column.IntColumn;
import org.allocsim.simulator.column.LongColumn;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * What a planner places: buffers with a size and a lifetime from {@code lower} up to, but not at,
 * {@code upper}. Columns by buffer number, which count up with {@code lower}.
 *
 * @param lower number of the request with which each buffer begins to live, ascending
 * @param upper number of the request with which it ends
 * @param nanos how long it lives
 * @param bytes its size, a multiple of the planner's alignment
 */
record Lifetimes(long[] lower, long[] upper, long[] nanos, long[] bytes) {
  /** Lifetimes and the allocations that they belong to. */
  record OfTrace(Lifetimes lifetimes, int[] allocations, int allocationCount) {}

  int count() {
    return bytes.length;
  }

  /**
   * The allocations of a device by the numbers of its requests; what is not freed lives on after
   * the last one. Requests of no bytes, and those that do not fit into {@code maxBytes} even alone,
   * are left out.
   *
   * @param alignmentBytes what sizes are rounded up to
   */
  static OfTrace of(FutureRequests future, long alignmentBytes, long maxBytes) {
    AllocationTrace trace = Objects.requireNonNull(future.trace());
    LongColumn lower = new LongColumn();
    LongColumn bytes = new LongColumn();
    IntColumn allocations = new IntColumn();
    long[] freedAt = new long[trace.allocationCount()];
    Arrays.fill(freedAt, trace.eventCount());
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) != future.device()) {
        continue;
      }
      RequestKind kind = trace.kind(event);
      if (kind == RequestKind.FREE) {
        freedAt[trace.allocation(event)] = event;
      } else if ((kind == RequestKind.ALLOCATE || kind == RequestKind.RESTORE_BLOCK)
          && trace.bytes(event) > 0
          && trace.bytes(event) <= maxBytes) {
        lower.add(event);
        bytes.add(PlanOptions.roundUp(trace.bytes(event), alignmentBytes));
        allocations.add(trace.allocation(event));
      }
    }
    int count = lower.count();
    long[] upper = new long[count];
    long[] nanos = new long[count];
    for (int buffer = 0; buffer < count; buffer++) {
      upper[buffer] = freedAt[allocations.get(buffer)];
      int last = (int) Math.min(upper[buffer], trace.eventCount() - 1L);
      nanos[buffer] = trace.timeNanos(last) - trace.timeNanos((int) lower.get(buffer));
    }
    return new OfTrace(
        new Lifetimes(lower.toArray(), upper, nanos, bytes.toArray()),
        allocations.toArray(),
        trace.allocationCount());
  }

  /** Most bytes that live at one time: no plan is lower. */
  long maxLiveBytes() {
    PriorityQueue<Integer> live = new PriorityQueue<>((a, b) -> Long.compare(upper[a], upper[b]));
    long now = 0;
    long most = 0;
    for (int buffer = 0; buffer < count(); buffer++) {
      while (!live.isEmpty() && upper[live.peek()] <= lower[buffer]) {
        now -= bytes[live.poll()];
      }
      now += bytes[buffer];
      live.add(buffer);
      most = Math.max(most, now);
    }
    return most;
  }
}
