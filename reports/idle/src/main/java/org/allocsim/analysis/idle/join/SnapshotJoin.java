package org.allocsim.analysis.idle.join;

import java.util.Arrays;
import org.allocsim.analysis.idle.profile.ProfileAdditions;
import org.allocsim.analysis.idle.profile.RowKind;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.allocsim.analysis.idle.timeline.CallKind;
import org.allocsim.simulator.column.IntColumn;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.Snapshot;

/**
 * A profile with what a memory snapshot of the same run has: what the allocator held, the lines
 * that led to its cudaMalloc and cudaFree, and the driver's calls for expandable segments, which
 * Kineto does not record.
 *
 * <p>An entry of a segment is made right after cudaMalloc and right before cudaFree: on PyTorch
 * 2.11 within 3 µs and 8 µs. Entries of expandable segments come after the driver's calls, which
 * begin no earlier than the row of the profile before them ends.
 *
 * @param profile the profile with these rows
 * @param calls what the allocator asked of the driver within the profile
 * @param matched segments whose cudaMalloc or cudaFree the profile has
 * @param unmatched segments for which it has none
 * @param beginNanos when the history begins, from the first row of the profile
 */
public record SnapshotJoin(
    TimeProfile profile, SegmentCalls calls, int matched, int unmatched, long beginNanos) {
  /** An entry is this close to the call that it is about. */
  private static final long CLOSE_NANOS = 100_000;

  private static final int NONE = -1;

  /**
   * Joins both.
   *
   * @param device index of the GPU
   * @throws TraceFormatException where the snapshot is not of the profiled run
   */
  public static SnapshotJoin of(TimeProfile profile, Snapshot snapshot, int device)
      throws TraceFormatException {
    long end = 0;
    for (int row = 0; row < profile.count(); row++) {
      end = Math.max(end, profile.endNanos(row));
    }
    SnapshotMemory memory = SnapshotMemory.of(snapshot, device, profile, end);
    Joining joining = new Joining(profile, memory.calls());
    joining.match();
    if (joining.matched == 0 && joining.unmatched > 0 && joining.hasCalls()) {
      throw new TraceFormatException(
          snapshot.fileName(),
          "",
          "it is not of the run of %s: none of its %d segments in that time has a cudaMalloc or"
                  .formatted(profile.source().file(), joining.unmatched)
              + " cudaFree there",
          "give the snapshot of the run that was profiled");
    }
    joining.map();
    joining.additions.addMemory(memory.samples());
    return new SnapshotJoin(
        joining.additions.build(),
        memory.calls(),
        joining.matched,
        joining.unmatched,
        memory.beginNanos());
  }

  /** Rows that call the driver for memory of the GPU, by a time of theirs. */
  private record DriverRows(int[] rows, long[] nanos) {
    static DriverRows of(TimeProfile profile, CallKind kind) {
      IntColumn found = new IntColumn();
      for (int row = 0; row < profile.count(); row++) {
        if (profile.kind(row) == RowKind.CALL
            && CallKind.of(profile.name(row)) == kind
            && !profile.name(row).contains("Host")) {
          found.add(row);
        }
      }
      int[] rows = found.toArray();
      long[] nanos = new long[rows.length];
      for (int i = 0; i < rows.length; i++) {
        nanos[i] = kind == CallKind.FREE ? profile.startNanos(rows[i]) : profile.endNanos(rows[i]);
      }
      return new DriverRows(rows, nanos);
    }
  }

  /** Both side by side. */
  private static final class Joining {
    private final TimeProfile profile;
    private final SegmentCalls calls;
    private final ProfileAdditions additions;
    private final DriverRows allocations;
    private final DriverRows frees;
    private int matched;
    private int unmatched;

    Joining(TimeProfile profile, SegmentCalls calls) {
      this.profile = profile;
      this.calls = calls;
      additions = new ProfileAdditions(profile);
      allocations = DriverRows.of(profile, CallKind.ALLOCATE);
      frees = DriverRows.of(profile, CallKind.FREE);
    }

    boolean hasCalls() {
      return allocations.rows.length + frees.rows.length > 0;
    }

    /** Finds the call of each segment: the first that is close and not taken. */
    void match() {
      int nextAllocation = 0;
      int nextFree = 0;
      for (int call = 0; call < calls.count(); call++) {
        if (calls.isMapping(call)) {
          continue;
        }
        boolean isAllocation = calls.isAllocation(call);
        DriverRows rows = isAllocation ? allocations : frees;
        int next = isAllocation ? nextAllocation : nextFree;
        while (next < rows.rows.length && rows.nanos[next] < calls.nanos(call) - CLOSE_NANOS) {
          next++;
        }
        if (next < rows.rows.length && rows.nanos[next] <= calls.nanos(call) + CLOSE_NANOS) {
          if (!calls.line(call).isEmpty() && !profile.source().hasStacks()) {
            additions.addLine(rows.rows[next], calls.line(call));
          }
          matched++;
          next++;
        } else {
          unmatched++;
        }
        if (isAllocation) {
          nextAllocation = next;
        } else {
          nextFree = next;
        }
      }
    }

    /**
     * Adds the calls for expandable segments, each on the thread that is most likely to make it.
     */
    void map() {
      int mapName = NONE;
      int unmapName = NONE;
      HostLanes lanes = new HostLanes(profile);
      long[] done = new long[profile.laneCount()];
      for (int call = 0; call < calls.count(); call++) {
        if (!calls.isMapping(call)) {
          continue;
        }
        long nanos = calls.nanos(call);
        lanes.goTo(nanos);
        int lane = lanes.callingLane();
        if (lane == NONE) {
          continue;
        }
        boolean isMap = calls.kind(call) == EffectKind.SEGMENT_MAP;
        if (isMap && mapName == NONE) {
          mapName = additions.name("cuMemMap");
        } else if (!isMap && unmapName == NONE) {
          unmapName = additions.name("cuMemUnmap");
        }
        long begin = Math.max(lanes.boundaryNanos(lane), done[lane]);
        if (begin < nanos) {
          String line = profile.source().hasStacks() ? "" : calls.line(call);
          additions.addCall(isMap ? mapName : unmapName, lane, begin, nanos, line);
          done[lane] = nanos;
        }
      }
    }
  }

  /** What the threads of the host are in at a moment that only goes forward. */
  private static final class HostLanes {
    private final TimeProfile profile;
    private final boolean[] calls;
    private final long[] boundaries;
    private final int[][] open;
    private final int[] depths;
    private int next;

    HostLanes(TimeProfile profile) {
      this.profile = profile;
      calls = new boolean[profile.laneCount()];
      boundaries = new long[profile.laneCount()];
      open = new int[profile.laneCount()][];
      depths = new int[profile.laneCount()];
      for (int row = 0; row < profile.count(); row++) {
        calls[profile.lane(row)] |= profile.kind(row) == RowKind.CALL;
      }
    }

    void goTo(long nanos) {
      for (; next < profile.count() && profile.startNanos(next) <= nanos; next++) {
        RowKind kind = profile.kind(next);
        int lane = profile.lane(next);
        if (kind.isOnGpu() || kind == RowKind.OVERHEAD || !calls[lane]) {
          continue;
        }
        close(lane, profile.startNanos(next));
        boundaries[lane] = Math.max(boundaries[lane], profile.startNanos(next));
        int depth = depths[lane];
        if (open[lane] == null) {
          open[lane] = new int[16];
        } else if (depth == open[lane].length) {
          open[lane] = Arrays.copyOf(open[lane], depth * 2);
        }
        open[lane][depth] = next;
        depths[lane] = depth + 1;
      }
      for (int lane = 0; lane < depths.length; lane++) {
        close(lane, nanos);
      }
    }

    private void close(int lane, long nanos) {
      while (depths[lane] > 0 && profile.endNanos(open[lane][depths[lane] - 1]) <= nanos) {
        depths[lane]--;
        boundaries[lane] = Math.max(boundaries[lane], profile.endNanos(open[lane][depths[lane]]));
      }
    }

    /** The latest begin or end of a row of a thread. */
    long boundaryNanos(int lane) {
      return boundaries[lane];
    }

    /**
     * The thread that is in an operator, of several the one that did something last; else the one
     * that did something last; −1 where no thread calls the driver.
     */
    int callingLane() {
      int found = NONE;
      boolean isFoundInOperator = false;
      for (int lane = 0; lane < depths.length; lane++) {
        if (!calls[lane]) {
          continue;
        }
        boolean isInOperator = isInOperator(lane);
        if (found == NONE
            || isInOperator && !isFoundInOperator
            || isInOperator == isFoundInOperator && boundaries[lane] > boundaries[found]) {
          found = lane;
          isFoundInOperator = isInOperator;
        }
      }
      return found;
    }

    private boolean isInOperator(int lane) {
      for (int i = 0; i < depths[lane]; i++) {
        if (profile.kind(open[lane][i]) == RowKind.OPERATOR) {
          return true;
        }
      }
      return false;
    }
  }
}
