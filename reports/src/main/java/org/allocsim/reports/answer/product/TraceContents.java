package org.allocsim.reports.answer.product;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.workloads.source.OpenedTrace;

/** What a trace of any format asks for, counted by device. */
public final class TraceContents {
  private final OpenedTrace file;
  private final List<Device> devices;

  /**
   * One device of a trace.
   *
   * @param requests rows by kind
   * @param prologue rows that recreate what existed before
   * @param streams number of streams on which memory is asked for
   * @param spanNanos time between the first and the last row
   * @param requestedBytes sum of all allocation requests
   * @param peakLiveBytes maximum bytes live at once, as asked for
   * @param liveAtEnd allocations that are never given back
   */
  private record Device(
      int index,
      Map<RequestKind, Long> requests,
      long prologue,
      int streams,
      long spanNanos,
      long requestedBytes,
      long peakLiveBytes,
      long liveAtEnd) {}

  private TraceContents(OpenedTrace file, List<Device> devices) {
    this.file = file;
    this.devices = devices;
  }

  public static TraceContents of(OpenedTrace file) {
    List<Device> devices = new ArrayList<>();
    for (int device = 0; device < file.trace().deviceCount(); device++) {
      count(file.trace(), device, devices);
    }
    return new TraceContents(file, devices);
  }

  private static void count(AllocationTrace trace, int device, List<Device> devices) {
    Map<RequestKind, Long> requests = new EnumMap<>(RequestKind.class);
    long[] bytes = new long[trace.allocationCount()];
    boolean[] streams = new boolean[trace.streamCount()];
    long prologue = 0;
    long sum = 0;
    long live = 0;
    long liveCount = 0;
    long peak = 0;
    long first = 0;
    long last = 0;
    boolean any = false;
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) != device) {
        continue;
      }
      last = trace.timeNanos(event);
      first = any ? first : last;
      any = true;
      RequestKind kind = trace.kind(event);
      requests.merge(kind, 1L, Long::sum);
      prologue += event < trace.prologueCount() ? 1 : 0;
      if (kind == RequestKind.ALLOCATE || kind == RequestKind.RESTORE_BLOCK) {
        bytes[trace.allocation(event)] = trace.bytes(event);
        streams[trace.stream(event)] = true;
        sum += trace.bytes(event);
        live += trace.bytes(event);
        liveCount++;
        peak = Math.max(peak, live);
      } else if (kind == RequestKind.FREE) {
        live -= bytes[trace.allocation(event)];
        liveCount--;
      }
    }
    int used = 0;
    for (boolean stream : streams) {
      used += stream ? 1 : 0;
    }
    if (any) {
      devices.add(new Device(device, requests, prologue, used, last - first, sum, peak, liveCount));
    }
  }

  public void print(String format, PrintWriter out) {
    WrappedText.printField(out, "file      ", file.name());
    if (file.sha256() != null) {
      out.println("sha256    " + file.sha256());
    }
    WrappedText.printField(out, "format    ", format);
    for (Device device : devices) {
      long rows = device.requests().values().stream().mapToLong(Long::longValue).sum();
      out.println();
      out.println(
          "device "
              + device.index()
              + ": "
              + Numbers.count(rows, "request")
              + (device.spanNanos() > 0 ? " in " + Numbers.seconds(device.spanNanos()) : ""));
      TextTable table = TextTable.of("request", ">times");
      device.requests().forEach((kind, times) -> table.row(name(kind), Numbers.count(times)));
      table.print(out, "  ");
      WrappedText.print(
          out,
          "  ",
          "    ",
          ByteFormat.human(device.requestedBytes())
              + " asked for on "
              + Numbers.count(device.streams(), "stream")
              + ", at most "
              + ByteFormat.human(device.peakLiveBytes())
              + " at once; "
              + Numbers.count(device.liveAtEnd(), "allocation")
              + " live at the end"
              + (device.prologue() == 0
                  ? ""
                  : "; the first "
                      + Numbers.count(device.prologue(), "request")
                      + " recreate what existed before"));
    }
    if (!file.notes().isEmpty()) {
      out.println();
      out.println("notes");
      file.notes().forEach(note -> WrappedText.printItem(out, "  ", note));
    }
  }

  private static String name(RequestKind kind) {
    return kind.toString().toLowerCase(Locale.ROOT);
  }

  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("file", file.name());
    map.put("sha256", file.sha256());
    map.put("format", file.format());
    List<Object> list = new ArrayList<>();
    for (Device device : devices) {
      Map<String, Object> entry = new LinkedHashMap<>();
      Map<String, Object> requests = new TreeMap<>();
      device.requests().forEach((kind, times) -> requests.put(name(kind), times));
      entry.put("device", device.index());
      entry.put("requests", requests);
      entry.put("prologue_requests", device.prologue());
      entry.put("streams", device.streams());
      entry.put("span_nanos", device.spanNanos());
      entry.put("requested_bytes", device.requestedBytes());
      entry.put("peak_live_bytes", device.peakLiveBytes());
      entry.put("live_at_end", device.liveAtEnd());
      list.add(entry);
    }
    map.put("devices", list);
    map.put("notes", file.notes());
    return map;
  }
}
