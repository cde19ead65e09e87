package org.allocsim.workloads.format.kineto;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.workloads.format.TimeOrder;

/** Events of one profile as columns, in the order of the file. */
final class ProfilerEvents {
  /** Kinds of events that matter. */
  enum Kind {
    /** Memory was handed out (bytes above 0) or taken back (below). */
    MEMORY,
    /** A request failed; bytes is what was asked for. */
    OUT_OF_MEMORY,
    /** A phase that the user named; bytes is its duration. */
    ANNOTATION,
    /** An operator on the host; bytes is its duration. */
    OPERATOR
  }

  /** Totals of an event that carries none. */
  static final long NO_TOTAL = -1;

  /** Bytes of an event here, in an order of events and in the trace. */
  private static final int EVENT_BYTES = 170;

  private static final int NAME_BYTES = 160;

  /** Bytes of a thread with its stack of operators. */
  private static final int THREAD_BYTES = 350;

  private int count;
  private long nameCharacters;
  private Kind[] kinds = new Kind[1024];
  private long[] times = new long[1024];
  private long[] bytes = new long[1024];
  private long[] addresses = new long[1024];
  private long[] totals = new long[1024];
  private int[] devices = new int[1024];
  private int[] threads = new int[1024];
  private int[] names = new int[1024];
  private final Map<Long, Integer> threadNumbers = new HashMap<>();
  private final Map<String, Integer> nameNumbers = new HashMap<>();
  private final List<String> nameTexts = new ArrayList<>();

  void add(
      Kind kind,
      long timeNanos,
      long eventBytes,
      long address,
      long totalAllocated,
      int device,
      long thread,
      String name) {
    if (count == kinds.length) {
      int capacity = count + (count >> 1);
      kinds = Arrays.copyOf(kinds, capacity);
      times = Arrays.copyOf(times, capacity);
      bytes = Arrays.copyOf(bytes, capacity);
      addresses = Arrays.copyOf(addresses, capacity);
      totals = Arrays.copyOf(totals, capacity);
      devices = Arrays.copyOf(devices, capacity);
      threads = Arrays.copyOf(threads, capacity);
      names = Arrays.copyOf(names, capacity);
    }
    kinds[count] = kind;
    times[count] = timeNanos;
    bytes[count] = eventBytes;
    addresses[count] = address;
    totals[count] = totalAllocated;
    devices[count] = device;
    threads[count] = threadNumbers.computeIfAbsent(thread, _ -> threadNumbers.size());
    names[count] =
        nameNumbers.computeIfAbsent(
            name,
            text -> {
              nameTexts.add(text);
              nameCharacters += text.length();
              return nameTexts.size() - 1;
            });
    count++;
  }

  /** Events of a kind, or of either of two, by time; those of one time in the file's order. */
  int[] byTime(Kind one, Kind other) {
    int[] chosen = new int[count];
    long[] chosenTimes = new long[count];
    int chosenCount = 0;
    for (int event = 0; event < count; event++) {
      if (kinds[event] == one || kinds[event] == other) {
        chosenTimes[chosenCount] = times[event];
        chosen[chosenCount++] = event;
      }
    }
    int[] order = TimeOrder.of(chosenTimes, chosenCount);
    for (int i = 0; i < chosenCount; i++) {
      order[i] = chosen[order[i]];
    }
    return order;
  }

  Kind kind(int event) {
    return kinds[event];
  }

  long timeNanos(int event) {
    return times[event];
  }

  long bytes(int event) {
    return bytes[event];
  }

  /** End of an annotation or operator. */
  long endNanos(int event) {
    return times[event] + bytes[event];
  }

  long address(int event) {
    return addresses[event];
  }

  /** Bytes allocated on the device after the event, or {@link #NO_TOTAL}. */
  long totalAllocated(int event) {
    return totals[event];
  }

  int device(int event) {
    return devices[event];
  }

  /** Number of the thread. */
  int thread(int event) {
    return threads[event];
  }

  /** Bytes that all of it takes in memory, about. */
  long heldBytes() {
    return (long) EVENT_BYTES * count
        + (long) NAME_BYTES * nameTexts.size()
        + nameCharacters
        + (long) THREAD_BYTES * threadNumbers.size();
  }

  int threadCount() {
    return threadNumbers.size();
  }

  /** Number of an event's name. */
  int nameNumber(int event) {
    return names[event];
  }

  /** Number of distinct names. */
  int nameCount() {
    return nameTexts.size();
  }

  String name(int event) {
    return nameTexts.get(names[event]);
  }
}
