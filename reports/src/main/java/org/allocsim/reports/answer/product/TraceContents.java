package org.allocsim.reports.answer.product;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/** What a trace of any format asks for, counted by device. */
public final class TraceContents {
  private TraceContents() {}

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
  public record Device(
      int index,
      Map<String, Long> requests,
      long prologue,
      int streams,
      long spanNanos,
      long requestedBytes,
      long peakLiveBytes,
      long liveAtEnd) {}

  /** What a trace asks for, by device; only devices that do anything. */
  public static List<Device> of(AllocationTrace trace) {
    List<Device> devices = new ArrayList<>();
    for (int device = 0; device < trace.deviceCount(); device++) {
      count(trace, device, devices);
    }
    return devices;
  }

  private static void count(AllocationTrace trace, int device, List<Device> devices) {
    SortedMap<String, Long> requests = new TreeMap<>();
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
      requests.merge(name(kind), 1L, Long::sum);
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

  private static String name(RequestKind kind) {
    return kind.toString().toLowerCase(Locale.ROOT);
  }
}
