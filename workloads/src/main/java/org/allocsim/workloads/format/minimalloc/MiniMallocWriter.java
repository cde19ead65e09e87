package org.allocsim.workloads.format.minimalloc;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceWriter;

/**
 * Writes the format: a row per allocation, in order. Times are those of the trace where they give
 * the order of its requests by the format's rule, else the numbers of the requests.
 */
final class MiniMallocWriter implements TraceWriter {
  private static final int NONE = -1;

  @Override
  public List<String> losses(AllocationTrace trace, int device) {
    Lives lives = new Lives(trace, device);
    List<String> losses = new ArrayList<>();
    TraceFile.add(losses, lives.live, "allocations that are live at the end are freed after it");
    if (!lives.timesTellOrder && lives.requests > 0) {
      losses.add("times are replaced by request numbers, because they do not determine the order");
    }
    TraceFile.add(losses, lives.ofOtherStreams, "requests lose their stream");
    TraceFile.add(losses, lives.ofPools, "requests lose their private pool");
    TraceFile.add(losses, lives.restored, "restored blocks become requests of the same size");
    TraceFile.add(losses, lives.otherRows, "rows that neither allocate nor free are omitted");
    TraceFile.add(losses, lives.withStack, "requests lose their stack");
    TraceFile.add(losses, lives.early, "requests lose the mark that they predate the recording");
    return losses;
  }

  @Override
  public void write(AllocationTrace trace, int device, OutputStream out) throws IOException {
    Lives lives = new Lives(trace, device);
    BufferedWriter text =
        new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), 1 << 16);
    text.write("id,lower,upper,size\n");
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) == device && isAllocation(trace.kind(event))) {
        int allocation = trace.allocation(event);
        text.write(
            "%d,%d,%d,%d\n"
                .formatted(
                    allocation, lives.time(event), lives.end(allocation), trace.bytes(event)));
      }
    }
    text.flush();
  }

  private static boolean isAllocation(RequestKind kind) {
    return kind == RequestKind.ALLOCATE || kind == RequestKind.RESTORE_BLOCK;
  }

  /** When the allocations of a device are freed, and what of its requests has no column. */
  private static final class Lives {
    private final AllocationTrace trace;
    private final int[] freeEvents;
    private boolean timesTellOrder = true;
    private int requests;
    private int live;
    private int ofOtherStreams;
    private int ofPools;
    private int restored;
    private int otherRows;
    private int withStack;
    private int early;
    private long latestNanos;

    Lives(AllocationTrace trace, int device) {
      this.trace = trace;
      freeEvents = new int[trace.allocationCount()];
      Arrays.fill(freeEvents, NONE);
      int last = NONE;
      for (int event = 0; event < trace.eventCount(); event++) {
        if (trace.device(event) != device) {
          continue;
        }
        RequestKind kind = trace.kind(event);
        if (isAllocation(kind)) {
          live++;
          restored += kind == RequestKind.RESTORE_BLOCK ? 1 : 0;
          ofPools += trace.pool(event) != 0 ? 1 : 0;
        } else if (kind == RequestKind.FREE) {
          live--;
          freeEvents[trace.allocation(event)] = event;
        } else {
          otherRows++;
          continue;
        }
        int stream = trace.stream(event);
        ofOtherStreams += stream >= 0 && trace.streamHandle(stream) != 0 ? 1 : 0;
        withStack += trace.stack(event) != StackTable.NONE ? 1 : 0;
        early += event < trace.prologueCount() ? 1 : 0;
        timesTellOrder &= last == NONE || follows(last, event);
        requests++;
        last = event;
      }
      latestNanos = last == NONE ? 0 : trace.timeNanos(last);
      timesTellOrder &= latestNanos < Long.MAX_VALUE;
    }

    /** Whether the format's rule puts a request after another. */
    private boolean follows(int first, int second) {
      long between = Long.compare(trace.timeNanos(second), trace.timeNanos(first));
      if (between != 0) {
        return between > 0;
      }
      boolean firstFrees = trace.kind(first) == RequestKind.FREE;
      boolean secondFrees = trace.kind(second) == RequestKind.FREE;
      return firstFrees && (!secondFrees || trace.allocation(first) < trace.allocation(second))
          || !firstFrees && !secondFrees;
    }

    long time(int event) {
      return timesTellOrder ? trace.timeNanos(event) : event;
    }

    /** When an allocation is freed; after everything where it is not. */
    long end(int allocation) {
      int event = freeEvents[allocation];
      if (event != NONE) {
        return time(event);
      }
      return timesTellOrder ? latestNanos + 1 : trace.eventCount();
    }
  }
}
