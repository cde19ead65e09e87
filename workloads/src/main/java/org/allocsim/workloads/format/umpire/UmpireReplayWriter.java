package org.allocsim.workloads.format.umpire;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceWriter;

/**
 * Writes the log, in its current form: one QuickPool with Umpire's defaults above the resource
 * DEVICE, to which all requests go. Every allocation has an address of its own.
 */
final class UmpireReplayWriter implements TraceWriter {
  private static final long FIRST_ADDRESS = 0x7f00_0000_0000L;
  private static final long ADDRESS_STEP = 16;
  private static final int BUFFER_CHARS = 1 << 16;
  private static final String POOL = "\"allocator_ref\":\"0x2\"";

  @Override
  public List<String> losses(AllocationTrace trace, int device) {
    long others = 0;
    long pools = 0;
    long stacks = 0;
    long streams = 0;
    long streamFrees = 0;
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) != device) {
        continue;
      }
      switch (trace.kind(event)) {
        case ALLOCATE -> {
          pools += trace.pool(event) != 0 ? 1 : 0;
          streams += trace.streamHandle(trace.stream(event)) != 0 ? 1 : 0;
        }
        case FREE -> streamFrees += trace.stream(event) != AllocationTrace.UNKNOWN_STREAM ? 1 : 0;
        case EMPTY_CACHE -> {}
        default -> {
          others++;
          continue;
        }
      }
      stacks += trace.stack(event) != StackTable.NONE ? 1 : 0;
    }
    List<String> losses = new ArrayList<>();
    TraceFile.add(losses, others, "requests are neither allocations nor frees and were omitted");
    TraceFile.add(
        losses, pools, "allocations are from a private pool, which the log cannot represent");
    TraceFile.add(losses, streams, "allocations are on a stream, which the log cannot represent");
    TraceFile.add(losses, streamFrees, "frees are on a stream, which the log cannot represent");
    TraceFile.add(losses, stacks, "requests have a stack, which was omitted");
    TraceFile.add(
        losses, trace.prologueCount(), "rows restore earlier blocks and become ordinary requests");
    return losses;
  }

  @Override
  public void write(AllocationTrace trace, int device, OutputStream out) throws IOException {
    StringBuilder text = new StringBuilder(BUFFER_CHARS + 1024);
    text.append(
        """
        {"category":"metadata","name":"version","numeric_args":{"major":2024,"minor":7,"patch":0},\
        "string_args":{"rc":""},"tags":{},"timestamp":0}
        {"category":"operation","name":"make_memory_resource","numeric_args":{"introspection":1},\
        "string_args":{"allocator_ref":"0x1"},\
        "tags":{"allocator_name":"DEVICE","replay":"true"},"timestamp":0}
        {"category":"operation","name":"make_allocator","numeric_args":{"introspection":1},\
        "string_args":{"allocator_ref":"0x2","arg0":"DEVICE",\
        "type":"N6umpire8strategy9QuickPoolE"},\
        "tags":{"allocator_name":"pool","replay":"true"},"timestamp":0}
        """);
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) == device) {
        row(text, trace, event);
        if (text.length() >= BUFFER_CHARS) {
          out.write(text.toString().getBytes(StandardCharsets.UTF_8));
          text.setLength(0);
        }
      }
    }
    out.write(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static void row(StringBuilder text, AllocationTrace trace, int event) {
    RequestKind kind = trace.kind(event);
    switch (kind) {
      case ALLOCATE -> {
        text.append("{\"category\":\"operation\",\"name\":\"allocate\",\"numeric_args\":{\"size\":")
            .append(trace.bytes(event))
            .append("},");
        pointer(text, trace.allocation(event));
        text.append("\"tags\":{\"replay\":\"true\"}");
      }
      case FREE -> {
        text.append("{\"category\":\"operation\",\"name\":\"deallocate\",");
        pointer(text, trace.allocation(event));
        text.append("\"tags\":{\"replay\":\"true\"}");
      }
      case EMPTY_CACHE ->
          text.append("{\"category\":\"operation\",\"name\":\"release\",\"numeric_args\":{},")
              .append("\"string_args\":{")
              .append(POOL)
              .append("},\"tags\":{\"allocator_name\":\"pool\",\"replay\":\"true\"}");
      default -> {
        return;
      }
    }
    text.append(",\"timestamp\":").append(trace.timeNanos(event)).append("}\n");
  }

  private static void pointer(StringBuilder text, int allocation) {
    text.append("\"string_args\":{")
        .append(POOL)
        .append(",\"pointer\":\"0x")
        .append(Long.toHexString(FIRST_ADDRESS + allocation * ADDRESS_STEP))
        .append("\"},");
  }
}
