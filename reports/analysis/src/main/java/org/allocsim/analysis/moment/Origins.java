package org.allocsim.analysis.moment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.StackTable;

/** Where the allocations of one device come from: request, time, stack and phase by id. */
public final class Origins {
  /** Phase of an allocation that was made while none was open. */
  public static final int NO_PHASE = 0;

  private final StackTable stackTable;
  private final int[] requests;
  private final int[] stacks;
  private final int[] phases;
  private final long[] times;
  private final List<String> phaseNames;

  /** Rows of the allocation requests, in order. */
  private final int[] requestRows;

  private final long startNanos;

  private Origins(
      StackTable stackTable,
      int[] requests,
      int[] stacks,
      int[] phases,
      long[] times,
      List<String> phaseNames,
      int[] requestRows,
      long startNanos) {
    this.stackTable = stackTable;
    this.requests = requests;
    this.stacks = stacks;
    this.phases = phases;
    this.times = times;
    this.phaseNames = phaseNames;
    this.requestRows = requestRows;
    this.startNanos = startNanos;
  }

  /** The origins of what a device allocates in a trace. */
  public static Origins of(AllocationTrace trace, int device) {
    int count = trace.allocationCount();
    int[] requests = new int[count];
    int[] stacks = new int[count];
    int[] phases = new int[count];
    long[] times = new long[count];
    int[] rows = new int[1024];
    int requestCount = 0;
    long startNanos = -1;
    OpenPhases open = new OpenPhases();
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.device(row) != device) {
        continue;
      }
      startNanos = startNanos < 0 ? trace.timeNanos(row) : startNanos;
      RequestKind kind = trace.kind(row);
      switch (kind) {
        case MARKER_BEGIN -> open.begin(trace.markerNameOf(row));
        case MARKER_END -> open.end(trace.markerNameOf(row));
        case ALLOCATE, RESTORE_BLOCK -> {
          int allocation = trace.allocation(row);
          boolean before = row < trace.prologueCount();
          if (kind == RequestKind.ALLOCATE && !before) {
            rows = requestCount == rows.length ? Arrays.copyOf(rows, rows.length * 2) : rows;
            rows[requestCount++] = row;
          }
          requests[allocation] = before ? -1 : requestCount - 1;
          stacks[allocation] = trace.stack(row);
          times[allocation] = trace.timeNanos(row);
          phases[allocation] = before ? OpenPhases.BEFORE : open.current();
        }
        default -> {}
      }
    }
    return new Origins(
        trace.stacks(),
        requests,
        stacks,
        phases,
        times,
        open.names(),
        Arrays.copyOf(rows, requestCount),
        Math.max(0, startNanos));
  }

  /** Origins of which only the stacks are known. */
  static Origins ofStacks(int[] stacks, StackTable table) {
    int[] unknown = new int[stacks.length];
    Arrays.fill(unknown, -1);
    return new Origins(
        table,
        unknown,
        stacks.clone(),
        new int[stacks.length],
        new long[stacks.length],
        new OpenPhases().names(),
        new int[0],
        0);
  }

  /** The shared stacks. */
  public StackTable stackTable() {
    return stackTable;
  }

  public int stack(int allocation) {
    return stacks[allocation];
  }

  /** Index of an allocation's request among the allocation requests; −1 before the recording. */
  public long request(int allocation) {
    return requests[allocation];
  }

  /** Time of an allocation in nanoseconds of the recording's clock. */
  public long timeNanos(int allocation) {
    return times[allocation];
  }

  /** Number of the phase in which an allocation was made. */
  public int phase(int allocation) {
    return phases[allocation];
  }

  /** Name of a phase, with those around it. */
  public String phaseName(int phase) {
    return phaseNames.get(phase);
  }

  /** Whether the program names any phase. */
  public boolean hasPhases() {
    return phaseNames.size() > OpenPhases.FIRST;
  }

  /** Whether any stack was recorded. */
  public boolean hasStacks() {
    return stackTable.stackCount() > 1;
  }

  /** Time of the first row. */
  long startNanos() {
    return startNanos;
  }

  /** Row of an allocation request. */
  public Optional<Integer> rowOfRequest(long request) {
    return request < 0 || request >= requestRows.length
        ? Optional.empty()
        : Optional.of(requestRows[(int) request]);
  }

  /** Index of the last allocation request up to a row; −1 where there is none. */
  long lastRequestAt(int row) {
    int at = Arrays.binarySearch(requestRows, row);
    return at >= 0 ? at : -at - 2;
  }

  /** The phases that are open, one inside the other. */
  private static final class OpenPhases {
    private static final int BEFORE = 1;
    private static final int FIRST = 2;

    /** Phases nested deeper than this count as the one around them. */
    private static final int DEEPEST = 64;

    private record Inside(int phase, String marker) {}

    private final Map<Inside, Integer> numbers = new HashMap<>();
    private final List<String> names =
        new ArrayList<>(List.of("outside every phase", "before the recording"));
    private final List<String> markers = new ArrayList<>();
    private final List<Integer> path = new ArrayList<>();

    int current() {
      return path.isEmpty() ? NO_PHASE : path.getLast();
    }

    void begin(String marker) {
      int around = current();
      markers.add(marker);
      path.add(path.size() < DEEPEST ? number(around, marker) : around);
    }

    private int number(int around, String marker) {
      return numbers.computeIfAbsent(
          new Inside(around, marker),
          _ -> {
            names.add(around == NO_PHASE ? marker : names.get(around) + " > " + marker);
            return names.size() - 1;
          });
    }

    /** Ends the innermost phase of this name, and those inside it whose end is missing. */
    void end(String marker) {
      int at = markers.lastIndexOf(marker);
      while (at >= 0 && path.size() > at) {
        markers.removeLast();
        path.removeLast();
      }
    }

    List<String> names() {
      return names;
    }
  }
}
