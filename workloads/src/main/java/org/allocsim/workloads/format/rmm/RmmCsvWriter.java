package org.allocsim.workloads.format.rmm;

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
 * Writes the log. Every allocation has an address of its own, which says nothing of where a policy
 * would put it.
 */
final class RmmCsvWriter implements TraceWriter {
  private static final long FIRST_ADDRESS = 0x7f00_0000_0000L;
  private static final long ADDRESS_STEP = 256;
  private static final long DAY_MICROS = 24 * 3600 * 1_000_000L;
  private static final int BUFFER_CHARS = 1 << 16;

  @Override
  public List<String> losses(AllocationTrace trace, int device) {
    long others = 0;
    long pools = 0;
    long stacks = 0;
    long times = 0;
    long streams = 0;
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) != device) {
        continue;
      }
      switch (trace.kind(event)) {
        case ALLOCATE -> pools += trace.pool(event) != 0 ? 1 : 0;
        case FREE -> streams += trace.stream(event) == AllocationTrace.UNKNOWN_STREAM ? 1 : 0;
        default -> {
          others++;
          continue;
        }
      }
      stacks += trace.stack(event) != StackTable.NONE ? 1 : 0;
      times += isWritten(trace.timeNanos(event)) ? 0 : 1;
    }
    List<String> losses = new ArrayList<>();
    TraceFile.add(losses, others, "requests are neither allocations nor frees and were omitted");
    TraceFile.add(
        losses, pools, "allocations are from a private pool, which the log cannot represent");
    TraceFile.add(losses, stacks, "requests have a stack, which was omitted");
    TraceFile.add(
        losses, times, "times are written without the day and with microsecond precision");
    TraceFile.add(
        losses, streams, "frees without a stream are written on their allocation's stream");
    TraceFile.add(
        losses, trace.prologueCount(), "rows restore earlier blocks and become ordinary requests");
    return losses;
  }

  private static boolean isWritten(long nanos) {
    return nanos >= 0 && nanos < DAY_MICROS * 1000 && nanos % 1000 == 0;
  }

  @Override
  public void write(AllocationTrace trace, int device, OutputStream out) throws IOException {
    StringBuilder text = new StringBuilder(BUFFER_CHARS + 256);
    text.append("Thread,Time,Action,Pointer,Size,Stream\n");
    long[] bytes = new long[trace.allocationCount()];
    int[] streams = new int[trace.allocationCount()];
    for (int event = 0; event < trace.eventCount(); event++) {
      RequestKind kind = trace.kind(event);
      if (trace.device(event) != device
          || (kind != RequestKind.ALLOCATE && kind != RequestKind.FREE)) {
        continue;
      }
      int allocation = trace.allocation(event);
      int stream = trace.stream(event);
      if (kind == RequestKind.ALLOCATE) {
        bytes[allocation] = trace.bytes(event);
        streams[allocation] = stream;
      } else if (stream == AllocationTrace.UNKNOWN_STREAM) {
        stream = streams[allocation];
      }
      long handle = stream < 0 ? 0 : trace.streamHandle(stream);
      String action = kind == RequestKind.ALLOCATE ? ",allocate," : ",free,";
      row(text, trace.timeNanos(event), action, allocation, bytes[allocation], handle);
      if (text.length() >= BUFFER_CHARS) {
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        text.setLength(0);
      }
    }
    out.write(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static void row(
      StringBuilder text, long timeNanos, String action, int allocation, long bytes, long handle) {
    boolean isThreads = (handle & 0xffff_ffffL) == RmmCsvFormat.PER_THREAD_HANDLE && handle > 0;
    text.append(isThreads ? handle >>> RmmCsvFormat.THREAD_SHIFT : 0).append(',');
    time(text, Math.floorMod(Math.floorDiv(timeNanos, 1000L), DAY_MICROS));
    text.append(action);
    if (bytes == 0) {
      text.append("(nil)");
    } else {
      text.append("0x").append(Long.toHexString(FIRST_ADDRESS + allocation * ADDRESS_STEP));
    }
    text.append(',').append(bytes).append(',');
    long written = isThreads ? RmmCsvFormat.PER_THREAD_HANDLE : handle;
    text.append(written == 0 ? "0" : "0x" + Long.toHexString(written)).append('\n');
  }

  private static void time(StringBuilder text, long micros) {
    long seconds = micros / 1_000_000;
    digits(text, seconds / 3600, 2);
    digits(text, seconds / 60 % 60, 2);
    digits(text, seconds % 60, 2);
    text.setCharAt(text.length() - 1, '.');
    digits(text, micros % 1_000_000, 6);
    text.setLength(text.length() - 1);
  }

  /** A number with leading zeros and a colon after it. */
  private static void digits(StringBuilder text, long number, int width) {
    String plain = Long.toString(number);
    text.repeat('0', width - plain.length()).append(plain).append(':');
  }
}
