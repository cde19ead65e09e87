package org.allocsim.workloads.format.stalloc;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceWriter;

/** Writes the format. Pointers only show which free belongs to which allocation. */
final class StAllocWriter implements TraceWriter {
  private static final long FIRST_POINTER = 0x7f00_0000_0000L;
  private static final long POINTER_STEP = 512;

  @Override
  public List<String> losses(AllocationTrace trace, int device) {
    int others = 0;
    int pools = 0;
    int markers = 0;
    int unordered = 0;
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) != device) {
        continue;
      }
      switch (trace.kind(event)) {
        case ALLOCATE -> pools += trace.pool(event) == 0 ? 0 : 1;
        case FREE -> unordered += trace.stream(event) < 0 ? 1 : 0;
        case MARKER_BEGIN, MARKER_END -> markers += isKnown(name(trace, event)) ? 0 : 1;
        default -> others++;
      }
    }
    List<String> losses = new ArrayList<>();
    losses.add("the format has no times and no stacks");
    TraceFile.add(losses, others, "requests other than allocations and frees are omitted");
    TraceFile.add(losses, pools, "allocations of private pools are written as ordinary ones");
    TraceFile.add(losses, markers, "markers other than STAlloc's are omitted");
    TraceFile.add(losses, unordered, "frees without a stream get their allocation's stream");
    return losses;
  }

  @Override
  public void write(AllocationTrace trace, int device, OutputStream out) throws IOException {
    long[] bytes = new long[trace.allocationCount()];
    long[] streams = new long[trace.allocationCount()];
    int lastIteration = lastIterationEnd(trace, device);
    Writer writer =
        new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), 1 << 16);
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) != device) {
        continue;
      }
      int allocation = trace.allocation(event);
      switch (trace.kind(event)) {
        case ALLOCATE, RESTORE_BLOCK -> {
          bytes[allocation] = trace.bytes(event);
          streams[allocation] = trace.streamHandle(trace.stream(event));
          call(writer, '1', allocation, bytes[allocation], streams[allocation]);
        }
        case FREE -> {
          int stream = trace.stream(event);
          long handle = stream < 0 ? streams[allocation] : trace.streamHandle(stream);
          call(writer, '0', allocation, bytes[allocation], handle);
        }
        case MARKER_BEGIN -> begin(writer, name(trace, event));
        case MARKER_END -> end(writer, name(trace, event), event == lastIteration);
        default -> {}
      }
    }
    writer.flush();
  }

  private static void call(Writer writer, char kind, int allocation, long bytes, long stream)
      throws IOException {
    if (kind == '0' && bytes == 0) {
      return;
    }
    writer.write(kind);
    writer.write(' ');
    writer.write(
        bytes == 0 ? "0" : "0x" + Long.toHexString(FIRST_POINTER + allocation * POINTER_STEP));
    writer.write(' ');
    writer.write(Long.toString(bytes));
    writer.write(' ');
    writer.write(stream < 0 ? "0x" + Long.toHexString(stream) : Long.toString(stream));
    writer.write('\n');
  }

  private static void begin(Writer writer, String name) throws IOException {
    if (isKnown(name)) {
      writer.write(name);
      writer.write(name.contains(StAllocFormat.LAYER) ? "-start\n" : "\n");
    }
  }

  private static void end(Writer writer, String name, boolean last) throws IOException {
    if (isKnown(name) && name.contains(StAllocFormat.LAYER)) {
      writer.write(name);
      writer.write("-end\n");
    } else if (last) {
      writer.write(StAllocFormat.ITERATION + StAllocFormat.END + "\n");
    }
  }

  private static int lastIterationEnd(AllocationTrace trace, int device) {
    for (int event = trace.eventCount() - 1; event >= 0; event--) {
      if (trace.device(event) == device
          && trace.kind(event) == RequestKind.MARKER_END
          && name(trace, event).startsWith(StAllocFormat.ITERATION)) {
        return event;
      }
    }
    return -1;
  }

  private static String name(AllocationTrace trace, int event) {
    return trace.markerNameOf(event);
  }

  private static boolean isKnown(String name) {
    return name.startsWith(StAllocFormat.ITERATION)
        || name.startsWith(StAllocFormat.MICRO_BATCH)
        || (name.contains(StAllocFormat.LAYER) && name.indexOf('\n') < 0);
  }
}
