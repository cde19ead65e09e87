package org.allocsim.analysis.idle.timeline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.allocsim.analysis.idle.profile.RowKind;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.allocsim.simulator.column.IntColumn;
import org.allocsim.simulator.column.LongColumn;
import org.allocsim.workloads.format.TimeOrder;
import org.jspecify.annotations.Nullable;

/**
 * What the host does that keeps the GPU waiting by itself, whatever was queued: disjoint stretches
 * in their order, each with its cause and the row that shows it.
 */
public final class HostStates {
  /** Calls that prepare kernels take so long only for the first use. */
  private static final long PREPARING_NANOS = 50_000;

  private final Stretches states = new Stretches();

  /** Stretches with their causes, as columns. */
  private static final class Stretches {
    private final LongColumn begins = new LongColumn();
    private final LongColumn ends = new LongColumn();
    private final IntColumn rows = new IntColumn();
    private final List<Cause> causes = new ArrayList<>();

    void add(int row, long begin, long end, Cause cause) {
      if (end > begin) {
        begins.add(begin);
        ends.add(end);
        rows.add(row);
        causes.add(cause);
      }
    }
  }

  /** Finds the stretches. */
  public HostStates(Timeline timeline, Waits waits, int stepThread) {
    TimeProfile profile = timeline.profile();
    Stretches found = new Stretches();
    for (int row = 0; row < profile.count(); row++) {
      Cause cause = cause(timeline, row);
      if (cause != null) {
        found.add(row, profile.startNanos(row), profile.endNanos(row), cause);
      }
    }
    for (int call = 0; call < timeline.callCount(); call++) {
      int thread = timeline.callThread(call);
      int row = timeline.callRow(call);
      if (!timeline.launches(thread) && thread != stepThread) {
        continue;
      }
      switch (timeline.callKind(call)) {
        case ALLOCATE, FREE ->
            found.add(row, timeline.callStart(call), timeline.callEnd(call), waits.cause(call));
        case COPY -> {
          if (waits.cause(call) == Cause.PAGEABLE_COPY) {
            found.add(row, timeline.callStart(call), timeline.callEnd(call), Cause.PAGEABLE_COPY);
          }
        }
        case OTHER -> {
          String name = profile.name(row);
          if (profile.durationNanos(row) >= PREPARING_NANOS
              && (name.contains("Func") || name.contains("Module") || name.contains("Library"))) {
            found.add(row, timeline.callStart(call), timeline.callEnd(call), Cause.KERNEL_LOADING);
          }
        }
        default -> {}
      }
    }
    flatten(found);
  }

  /** When the threads that queue work, and that of the steps, are in operators or calls. */
  public static Intervals busy(Timeline timeline, int stepThread) {
    TimeProfile profile = timeline.profile();
    Intervals busy = new Intervals();
    for (int row = 0; row < profile.count(); row++) {
      RowKind kind = profile.kind(row);
      int thread = profile.lane(row);
      if ((kind == RowKind.OPERATOR || kind == RowKind.CALL)
          && (timeline.launches(thread) || thread == stepThread)) {
        busy.add(profile.startNanos(row), profile.endNanos(row));
      }
    }
    return busy;
  }

  private static @Nullable Cause cause(Timeline timeline, int row) {
    TimeProfile profile = timeline.profile();
    RowKind kind = profile.kind(row);
    if (timeline.isLoad(row)) {
      return Cause.DATA;
    }
    if (kind == RowKind.OVERHEAD) {
      return profile.name(row).contains("Loading") ? Cause.KERNEL_LOADING : Cause.PROFILER;
    }
    return isCollection(profile, row) ? Cause.GARBAGE_COLLECTION : null;
  }

  /** Whether a row is Python's collection of garbage. */
  public static boolean isCollection(TimeProfile profile, int row) {
    RowKind kind = profile.kind(row);
    if (kind.isOnGpu() || kind == RowKind.CALL || kind == RowKind.OVERHEAD) {
      return false;
    }
    String name = profile.name(row);
    return name.equals("Python GC") || name.equals("<built-in function collect>");
  }

  /** Where stretches overlap, what began last counts. */
  private void flatten(Stretches found) {
    int count = found.rows.count();
    int[] order = TimeOrder.of(found.begins.toArray(), count);
    int[] open = new int[16];
    int depth = 0;
    long now = Long.MIN_VALUE;
    for (int i = 0; i <= count; i++) {
      long until = i < count ? found.begins.get(order[i]) : Long.MAX_VALUE;
      while (depth > 0 && now < until) {
        int top = open[depth - 1];
        long end = Math.min(found.ends.get(top), until);
        if (end > now) {
          states.add(found.rows.get(top), now, end, found.causes.get(top));
          now = end;
        }
        if (found.ends.get(top) <= now) {
          depth--;
        }
      }
      if (i < count) {
        now = Math.max(now, until);
        if (depth == open.length) {
          open = Arrays.copyOf(open, depth * 2);
        }
        open[depth++] = order[i];
      }
    }
  }

  public int count() {
    return states.rows.count();
  }

  public long begin(int state) {
    return states.begins.get(state);
  }

  public long end(int state) {
    return states.ends.get(state);
  }

  public int row(int state) {
    return states.rows.get(state);
  }

  public Cause cause(int state) {
    return states.causes.get(state);
  }
}
