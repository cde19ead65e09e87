package org.allocsim.simulator.policy.ggml;

import java.util.Arrays;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/** Whether a program frees in reverse order of allocation, stream by stream. */
final class FreeOrder {
  private static final int NONE = AllocationTrace.NO_ALLOCATION;

  private final AllocationTrace trace;

  /** By allocation: the one of the same stream below it in the stack, and the row it began with. */
  private final int[] below;

  private final int[] row;

  /** By stream: the allocation at the top of its stack. */
  private int[] top = new int[0];

  private FreeOrder(AllocationTrace trace) {
    this.trace = trace;
    below = new int[trace.allocationCount()];
    row = new int[trace.allocationCount()];
    Arrays.fill(row, -1);
  }

  /**
   * Requires that order of requests that are known beforehand.
   *
   * @throws UnfitTraceException naming the first event that is out of order
   */
  static void require(FutureRequests future) throws UnfitTraceException {
    AllocationTrace trace = future.trace();
    if (trace == null) {
      return;
    }
    FreeOrder order = new FreeOrder(trace);
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) == future.device()) {
        order.next(event);
      }
    }
  }

  private void next(int event) throws UnfitTraceException {
    RequestKind kind = trace.kind(event);
    if (kind == RequestKind.FREE) {
      int allocation = trace.allocation(event);
      if (row[allocation] >= 0) {
        free(event, allocation);
      }
    } else if ((kind == RequestKind.ALLOCATE || kind == RequestKind.RESTORE_BLOCK)
        && trace.bytes(event) > 0) {
      int stream = trace.stream(event);
      addStream(stream);
      int allocation = trace.allocation(event);
      below[allocation] = top[stream];
      row[allocation] = event;
      top[stream] = allocation;
    }
  }

  private void free(int event, int allocation) throws UnfitTraceException {
    int stream = trace.stream(row[allocation]);
    int last = top[stream];
    if (last != allocation) {
      throw new UnfitTraceException(
          ("frees in reverse order of allocation: event %d (counted from 0) frees the %d bytes of"
                  + " event %d while the %d bytes of event %d are live; frees=deferred serves such"
                  + " programs")
              .formatted(
                  event,
                  trace.bytes(row[allocation]),
                  row[allocation],
                  trace.bytes(row[last]),
                  row[last]));
    }
    top[stream] = below[allocation];
    row[allocation] = -1;
  }

  private void addStream(int stream) {
    if (stream >= top.length) {
      int known = top.length;
      top = Arrays.copyOf(top, Math.max(stream + 1, known + (known >> 1)));
      Arrays.fill(top, known, top.length, NONE);
    }
  }
}
