package org.allocsim.reports.html;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.attribution.Attribution;
import org.allocsim.analysis.attribution.Category;
import org.allocsim.analysis.attribution.Certainty;
import org.allocsim.analysis.moment.StackLabels;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.jspecify.annotations.Nullable;

/**
 * What all policies share: the requests of one device, numbered from 0 without gaps ("positions"),
 * and the blocks that they ask for in order of birth.
 */
final class TraceColumns {
  /** Times are kept for every n-th request, so that there are at most this many. */
  private static final int MAX_TIMES = 1 << 14;

  private static final int FRAMES = 6;
  private static final int FRAMES_OF_MANY = 3;
  private static final int MANY_STACKS = 2000;

  private final AllocationTrace trace;
  private final int device;

  /** Position by row; null where they are the same. */
  private final int @Nullable [] positions;

  private final int events;
  private final int[] blocksByAllocation;
  private final int[] births;
  private final int[] frees;
  private final int[] rows;

  TraceColumns(AllocationTrace trace, int device) {
    this.trace = trace;
    this.device = device;
    int count = 0;
    int blocks = 0;
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.device(row) == device) {
        count++;
        blocks += isBirth(trace.kind(row)) ? 1 : 0;
      }
    }
    events = count;
    positions = count == trace.eventCount() ? null : new int[trace.eventCount()];
    births = new int[blocks];
    frees = new int[blocks];
    rows = new int[blocks];
    blocksByAllocation = new int[trace.allocationCount()];
    Arrays.fill(blocksByAllocation, -1);
    Arrays.fill(frees, events);
    fill();
  }

  private static boolean isBirth(RequestKind kind) {
    return kind == RequestKind.ALLOCATE || kind == RequestKind.RESTORE_BLOCK;
  }

  private void fill() {
    int position = 0;
    int block = 0;
    for (int row = 0; row < trace.eventCount(); row++) {
      if (positions != null) {
        positions[row] = position;
      }
      if (trace.device(row) != device) {
        continue;
      }
      RequestKind kind = trace.kind(row);
      if (isBirth(kind)) {
        births[block] = position;
        rows[block] = row;
        blocksByAllocation[trace.allocation(row)] = block++;
      } else if (kind == RequestKind.FREE) {
        frees[blocksByAllocation[trace.allocation(row)]] = position;
      }
      position++;
    }
  }

  /** Requests of the device. */
  int eventCount() {
    return events;
  }

  /** Blocks that the device is asked for. */
  int blockCount() {
    return births.length;
  }

  /** Number of a row among those of the device. */
  int position(int row) {
    return positions == null ? row : positions[row];
  }

  /** The block of an allocation id, −1 where it is another device's. */
  int block(int allocation) {
    return blocksByAllocation[allocation];
  }

  /** Position at which the program asks for a block. */
  int birth(int block) {
    return births[block];
  }

  /** Position at which the program gives a block back; {@link #eventCount()} if it does not. */
  int free(int block) {
    return frees[block];
  }

  /** What the program asked for. */
  long requestedBytes(int block) {
    return trace.bytes(rows[block]);
  }

  /** Whether labels of stacks have to be short for the page to stay small. */
  boolean hasManyStacks() {
    return trace.stacks().stackCount() > MANY_STACKS;
  }

  /**
   * The columns as the page reads them, and what it needs to read them.
   *
   * @param attribution what the allocations are for
   * @param isShort whether labels of stacks are short; those of two traces compare only if they are
   *     made alike
   */
  Encoded encode(Attribution attribution, boolean isShort) {
    ColumnWriter out = new ColumnWriter();
    int before = 0;
    for (int birth : births) {
      out.put(birth - before);
      before = birth;
    }
    for (int block = 0; block < births.length; block++) {
      out.put(frees[block] - births[block]);
    }
    for (int block = 0; block < births.length; block++) {
      out.put(requestedBytes(block));
    }
    List<String> labels = new ArrayList<>();
    ShownStacks shown = ShownStacks.of(trace, rows);
    putStacks(out, labels, isShort ? FRAMES_OF_MANY : FRAMES, shown);
    for (int row : rows) {
      out.putSigned(trace.stream(row));
    }
    int step = Math.max(1, Math.ceilDiv(events, MAX_TIMES));
    long startNanos = putTimes(out, step);
    StackColumns full = StackColumns.of(trace.stacks(), rows, trace, shown);
    full.put(out);
    for (int row : rows) {
      int allocation = trace.allocation(row);
      out.put(
          attribution.category(allocation).ordinal() * (long) Certainty.values().length
              + attribution.certainty(allocation).ordinal());
    }
    Map<String, Object> about = new LinkedHashMap<>();
    about.put("frames", full.frames());
    about.put("full_stacks", full.stacks());
    about.put("categories", Arrays.stream(Category.values()).map(Category::label).toList());
    about.put("certainties", Arrays.stream(Certainty.values()).map(Certainty::id).toList());
    about.put("events", events);
    about.put("blocks", births.length);
    about.put("prologue_blocks", prologueBlocks());
    about.put("time_step", step);
    about.put("start_nanos", Long.toString(startNanos));
    about.put("stacks", labels);
    about.put("streams", streams());
    new AxisMarks(trace, device, this::position).put(about);
    return new Encoded(out.deflated(), about);
  }

  /** Blocks that existed before the recording, whose requests are not counted. */
  private long prologueBlocks() {
    return Arrays.stream(rows).filter(row -> row < trace.prologueCount()).count();
  }

  private void putStacks(ColumnWriter out, List<String> labels, int frames, ShownStacks shown) {
    StackLabels names = new StackLabels(trace.stacks(), frames);
    Map<String, Integer> numbers = new LinkedHashMap<>();
    int[] known = new int[trace.stacks().stackCount()];
    Arrays.fill(known, -1);
    for (int row : rows) {
      int stack = trace.stack(row);
      if (known[stack] < 0) {
        String label = shown.isLeftOut(stack) ? ShownStacks.OTHERS : names.label(stack);
        known[stack] = numbers.computeIfAbsent(label, _ -> numbers.size());
      }
      out.put(known[stack]);
    }
    labels.addAll(numbers.keySet());
  }

  private long putTimes(ColumnWriter out, int step) {
    long startNanos = 0;
    long before = 0;
    boolean isFirst = true;
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.device(row) != device || position(row) % step != 0) {
        continue;
      }
      if (isFirst) {
        startNanos = trace.timeNanos(row);
        before = startNanos;
        isFirst = false;
      }
      out.putDifference(trace.timeNanos(row), before);
      before = trace.timeNanos(row);
    }
    return startNanos;
  }

  private List<Object> streams() {
    List<Object> handles = new ArrayList<>();
    for (int stream = 0; stream < trace.streamCount(); stream++) {
      handles.add("0x" + Long.toHexString(trace.streamHandle(stream)));
    }
    return handles;
  }

  /**
   * Columns, deflated.
   *
   * @param about what a reader needs to know, for JSON
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Encoded(byte[] bytes, Map<String, Object> about) {}
}
