package org.allocsim.analysis.idle.timeline;

import java.util.Arrays;
import org.allocsim.analysis.idle.profile.RowKind;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.allocsim.workloads.format.TimeOrder;
import org.jspecify.annotations.Nullable;

/**
 * What the host does that keeps the GPU waiting by itself, whatever was queued: disjoint stretches
 * in their order, each with its cause and the row that shows it.
 */
public final class HostStates {
  /** Calls that prepare kernels take so long only for the first use. */
  private static final long PREPARING_NANOS = 50_000;

  private long[] begins = new long[64];
  private long[] ends = new long[64];
  private int[] rows = new int[64];
  private Cause[] causes = new Cause[64];
  private int count;

  // While they are collected: stretches that may overlap.
  private long[] rawBegins = new long[64];
  private long[] rawEnds = new long[64];
  private int[] rawRows = new int[64];
  private Cause[] rawCauses = new Cause[64];
  private int rawCount;

  /** Finds the stretches. */
  public HostStates(Timeline timeline, Waits waits, int stepThread) {
    TimeProfile profile = timeline.profile();
    for (int row = 0; row < profile.count(); row++) {
      Cause cause = cause(timeline, row);
      if (cause != null) {
        raw(row, profile.startNanos(row), profile.endNanos(row), cause);
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
            raw(row, timeline.callStart(call), timeline.callEnd(call), waits.cause(call));
        case COPY -> {
          if (waits.cause(call) == Cause.PAGEABLE_COPY) {
            raw(row, timeline.callStart(call), timeline.callEnd(call), Cause.PAGEABLE_COPY);
          }
        }
        case OTHER -> {
          String name = profile.name(row);
          if (profile.durationNanos(row) >= PREPARING_NANOS
              && (name.contains("Func") || name.contains("Module") || name.contains("Library"))) {
            raw(row, timeline.callStart(call), timeline.callEnd(call), Cause.KERNEL_LOADING);
          }
        }
        default -> {}
      }
    }
    flatten();
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

  private void raw(int row, long begin, long end, Cause cause) {
    if (end <= begin) {
      return;
    }
    if (rawCount == rawBegins.length) {
      rawBegins = Arrays.copyOf(rawBegins, rawCount * 2);
      rawEnds = Arrays.copyOf(rawEnds, rawCount * 2);
      rawRows = Arrays.copyOf(rawRows, rawCount * 2);
      rawCauses = Arrays.copyOf(rawCauses, rawCount * 2);
    }
    rawBegins[rawCount] = begin;
    rawEnds[rawCount] = end;
    rawRows[rawCount] = row;
    rawCauses[rawCount++] = cause;
  }

  /** Where stretches overlap, what began last counts. */
  private void flatten() {
    int[] order = TimeOrder.of(rawBegins, rawCount);
    int[] open = new int[16];
    int depth = 0;
    long now = Long.MIN_VALUE;
    for (int i = 0; i <= rawCount; i++) {
      long until = i < rawCount ? rawBegins[order[i]] : Long.MAX_VALUE;
      while (depth > 0 && now < until) {
        int top = open[depth - 1];
        long end = Math.min(rawEnds[top], until);
        if (end > now) {
          add(now, end, rawRows[top], rawCauses[top]);
          now = end;
        }
        if (rawEnds[top] <= now) {
          depth--;
        }
      }
      if (i < rawCount) {
        now = Math.max(now, until);
        if (depth == open.length) {
          open = Arrays.copyOf(open, depth * 2);
        }
        open[depth++] = order[i];
      }
    }
  }

  private void add(long begin, long end, int row, Cause cause) {
    if (count == begins.length) {
      begins = Arrays.copyOf(begins, count * 2);
      ends = Arrays.copyOf(ends, count * 2);
      rows = Arrays.copyOf(rows, count * 2);
      causes = Arrays.copyOf(causes, count * 2);
    }
    begins[count] = begin;
    ends[count] = end;
    rows[count] = row;
    causes[count++] = cause;
  }

  public int count() {
    return count;
  }

  public long begin(int state) {
    return begins[state];
  }

  public long end(int state) {
    return ends[state];
  }

  public int row(int state) {
    return rows[state];
  }

  public Cause cause(int state) {
    return causes[state];
  }
}
