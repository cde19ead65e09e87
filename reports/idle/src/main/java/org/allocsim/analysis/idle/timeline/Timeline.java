package org.allocsim.analysis.idle.timeline;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import org.allocsim.analysis.idle.profile.RowKind;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.allocsim.simulator.column.IntColumn;
import org.allocsim.workloads.format.TimeOrder;
import org.allocsim.workloads.format.TraceFormatException;

/**
 * The work of one GPU joined with the calls of the host that queued it. Work and calls are numbered
 * by their start. Calls inside of calls are left out: the outer one stands for both.
 */
public final class Timeline {
  public static final int NONE = -1;

  /** What the program's data loader is annotated with, in all releases. */
  private static final String LOADER = "enumerate(DataLoader)";

  private final TimeProfile profile;
  private final long device;

  /** The row that encloses a row on its thread. */
  private final int[] parents;

  // Work of the GPU.
  private final int[] workRows;
  private final int workCount;
  private final WorkKind[] workKinds;
  private final int[] callOfWork;

  // Calls of the host.
  private final int[] callRows;
  private final int callCount;
  private final CallKind[] callKinds;
  private final int[] firstWork;

  /** The next work of the same call. */
  private final int[] nextWork;

  private final boolean[] launches;

  /** Whether work was queued before the profile begins. */
  private final boolean[] wasBefore;

  public Timeline(TimeProfile profile) throws TraceFormatException {
    this.profile = profile;
    device = busiestDevice();
    parents = parents();
    IntColumn foundWork = new IntColumn();
    IntColumn foundCalls = new IntColumn();
    collect(foundWork, foundCalls);
    workRows = foundWork.toArray();
    workCount = workRows.length;
    callRows = foundCalls.toArray();
    callCount = callRows.length;
    workKinds = new WorkKind[workCount];
    WorkKind[] kindOfName = new WorkKind[profile.nameCount()];
    for (int work = 0; work < workCount; work++) {
      int row = workRows[work];
      int name = profile.nameNumber(row);
      if (kindOfName[name] == null) {
        kindOfName[name] = WorkKind.of(profile.kind(row), profile.name(row));
      }
      workKinds[work] = kindOfName[name];
    }
    callKinds = new CallKind[callCount];
    CallKind[] callOfName = new CallKind[profile.nameCount()];
    for (int call = 0; call < callCount; call++) {
      int name = profile.nameNumber(callRows[call]);
      if (callOfName[name] == null) {
        callOfName[name] = CallKind.of(profile.nameText(name));
      }
      callKinds[call] = callOfName[name];
    }
    callOfWork = new int[workCount];
    firstWork = filled(callCount);
    nextWork = filled(workCount);
    join();
    launches = new boolean[profile.laneCount()];
    wasBefore = new boolean[workCount];
    boolean[] hasQueued = new boolean[profile.laneCount()];
    for (int work = 0; work < workCount; work++) {
      if (callOfWork[work] != NONE) {
        launches[profile.lane(callRows[callOfWork[work]])] = true;
        hasQueued[workStream(work)] = true;
      } else {
        wasBefore[work] = !hasQueued[workStream(work)];
      }
    }
  }

  private static int[] filled(int length) {
    int[] column = new int[length];
    Arrays.fill(column, NONE);
    return column;
  }

  /** The GPU that is busy for longest. */
  private long busiestDevice() throws TraceFormatException {
    Map<Long, Long> busy = new TreeMap<>();
    long[] ofLane = new long[profile.laneCount()];
    for (int row = 0; row < profile.count(); row++) {
      if (profile.kind(row).isOnGpu()) {
        ofLane[profile.lane(row)] += profile.durationNanos(row) + 1;
      }
    }
    for (int lane = 0; lane < ofLane.length; lane++) {
      if (ofLane[lane] > 0) {
        busy.merge(profile.laneOf(lane).owner(), ofLane[lane], Long::sum);
      }
    }
    return busy.entrySet().stream()
        .max(Map.Entry.<Long, Long>comparingByValue().thenComparing(Map.Entry::getKey, reverse()))
        .orElseThrow(() ->
            new TraceFormatException(
                profile.source().file(),
                "",
                "it shows no work of a GPU",
                "record with torch.profiler and activities=[ProfilerActivity.CPU,"
                    + " ProfilerActivity.CUDA] on a machine with a GPU"))
        .getKey();
  }

  private static Comparator<Long> reverse() {
    return Comparator.reverseOrder();
  }

  private int[] parents() {
    int[] found = filled(profile.count());
    int[][] stacks = new int[profile.laneCount()][];
    int[] depths = new int[profile.laneCount()];
    for (int row = 0; row < profile.count(); row++) {
      RowKind kind = profile.kind(row);
      if (kind.isOnGpu() || kind == RowKind.OVERHEAD) {
        continue;
      }
      int lane = profile.lane(row);
      int[] stack = stacks[lane];
      if (stack == null) {
        stack = new int[16];
        stacks[lane] = stack;
      }
      int depth = depths[lane];
      while (depth > 0 && profile.endNanos(stack[depth - 1]) <= profile.startNanos(row)) {
        depth--;
      }
      if (depth > 0) {
        found[row] = stack[depth - 1];
      }
      if (depth == stack.length) {
        stack = Arrays.copyOf(stack, depth * 2);
        stacks[lane] = stack;
      }
      stack[depth++] = row;
      depths[lane] = depth;
    }
    return found;
  }

  private void collect(IntColumn work, IntColumn calls) {
    for (int row = 0; row < profile.count(); row++) {
      RowKind kind = profile.kind(row);
      if (kind.isOnGpu() && profile.laneOf(profile.lane(row)).owner() == device) {
        work.add(row);
      } else if (kind == RowKind.CALL
          && (parents[row] == NONE || profile.kind(parents[row]) != RowKind.CALL)) {
        calls.add(row);
      }
    }
  }

  /** Finds the call that queued each piece of work, by their correlation. */
  private void join() {
    int[] callOfRow = filled(profile.count());
    for (int call = 0; call < callCount; call++) {
      callOfRow[callRows[call]] = call;
    }
    for (int row = 0; row < profile.count(); row++) {
      if (profile.kind(row) == RowKind.CALL && callOfRow[row] == NONE) {
        callOfRow[row] = callOfRow[parents[row]];
      }
    }
    int rows = 0;
    long[] links = new long[profile.count()];
    int[] rowOfLink = new int[profile.count()];
    for (int row = 0; row < profile.count(); row++) {
      if (profile.kind(row) == RowKind.CALL && profile.link(row) != TimeProfile.NO_LINK) {
        links[rows] = profile.link(row);
        rowOfLink[rows++] = row;
      }
    }
    int[] order = TimeOrder.of(links, rows);
    long[] sorted = new long[rows];
    for (int i = 0; i < rows; i++) {
      sorted[i] = links[order[i]];
    }
    int[] lastWork = filled(callCount);
    for (int work = 0; work < workCount; work++) {
      callOfWork[work] = NONE;
      int place = Arrays.binarySearch(sorted, profile.link(workRows[work]));
      if (place < 0) {
        continue;
      }
      int call = callOfRow[rowOfLink[order[place]]];
      // A call that begins after its work is that of another one with the same number.
      if (callStart(call) > workEnd(work)) {
        continue;
      }
      callOfWork[work] = call;
      if (lastWork[call] == NONE) {
        firstWork[call] = work;
      } else {
        nextWork[lastWork[call]] = work;
      }
      lastWork[call] = work;
    }
  }

  public TimeProfile profile() {
    return profile;
  }

  /** Index of the GPU. */
  public long device() {
    return device;
  }

  /** The row that encloses a row on its thread; {@link #NONE} where none does. */
  public int parent(int row) {
    return parents[row];
  }

  public int workCount() {
    return workCount;
  }

  public int workRow(int work) {
    return workRows[work];
  }

  public WorkKind workKind(int work) {
    return workKinds[work];
  }

  public long workStart(int work) {
    return profile.startNanos(workRows[work]);
  }

  public long workEnd(int work) {
    return profile.endNanos(workRows[work]);
  }

  /** Number of the stream. */
  public int workStream(int work) {
    return profile.lane(workRows[work]);
  }

  /** The call that queued the work; {@link #NONE} where the profile does not have it. */
  public int callOf(int work) {
    return callOfWork[work];
  }

  public int callCount() {
    return callCount;
  }

  public int callRow(int call) {
    return callRows[call];
  }

  public CallKind callKind(int call) {
    return callKinds[call];
  }

  public long callStart(int call) {
    return profile.startNanos(callRows[call]);
  }

  public long callEnd(int call) {
    return profile.endNanos(callRows[call]);
  }

  public int callThread(int call) {
    return profile.lane(callRows[call]);
  }

  /** The first work that the call queued; {@link #NONE} where it queued none. */
  public int firstWorkOf(int call) {
    return firstWork[call];
  }

  /** The next work that the same call queued; {@link #NONE} where there is none. */
  public int nextWorkOfCall(int work) {
    return nextWork[work];
  }

  /** Whether a thread queues work for the GPU. */
  public boolean launches(int thread) {
    return launches[thread];
  }

  /**
   * When work was queued: the start of its call. Where the profile does not have that, the work was
   * queued before the profile begins if it comes before all other work of its stream, else it is
   * the start of the work.
   */
  public long queuedNanos(int work) {
    if (callOfWork[work] != NONE) {
      return callStart(callOfWork[work]);
    }
    return wasBefore[work] ? -1 : workStart(work);
  }

  /** Whether an annotation is the wait for a batch of a data loader. */
  public boolean isLoad(int row) {
    return profile.kind(row) == RowKind.ANNOTATION && profile.name(row).startsWith(LOADER);
  }

  /** Whether the batch was made by the program's own process. */
  public boolean isLoadedHere(int row) {
    return profile.name(row).contains("SingleProcess");
  }
}
