package org.allocsim.analysis.idle;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.allocsim.analysis.idle.timeline.CallKind;
import org.allocsim.analysis.idle.timeline.Cause;
import org.allocsim.analysis.idle.timeline.HostStates;
import org.allocsim.analysis.idle.timeline.Intervals;
import org.allocsim.analysis.idle.timeline.Places;
import org.allocsim.analysis.idle.timeline.Steps;
import org.allocsim.analysis.idle.timeline.Timeline;
import org.allocsim.analysis.idle.timeline.Waits;
import org.allocsim.analysis.idle.timeline.WorkKind;

/**
 * Gives every gap of a GPU a cause. A gap is cut where its cause changes.
 *
 * <p>While the host loads data, copies from pageable memory, calls the driver for memory, collects
 * garbage or loads kernels, that is the cause. Else, where the host had waited for the GPU when the
 * gap began, the cause is why it waited: nothing could be queued. Else the host is slower than the
 * GPU: between operators, or in them. Where the host would have been ahead without its waits, gaps
 * between launches after a wait are also due to the wait, until the next.
 */
final class GapFinder {
  /** Gaps shorter than this are not looked at. */
  static final long MIN_NANOS = 20_000;

  /** Without an operator or a call for so long, the host runs the program's own code. */
  private static final long HOST_CODE_NANOS = 500_000;

  /** Calls before that of work that may have let its stream wait. */
  private static final int MAX_CALLS = 64;

  private static final int MAX_KEPT = 1_000;
  private static final int NONE = -1;

  /** What gaps have in common. */
  private record Key(Cause cause, String where) {}

  private final Timeline timeline;
  private final TimeProfile profile;
  private final Steps steps;
  private final Waits waits;
  private final HostStates states;
  private final Places places;
  private final Intervals hostBusy;
  private final boolean[] hostIsAhead;
  private final Map<Key, long[]> sums = new HashMap<>();
  private final Gaps all = new Gaps();
  private final PriorityQueue<Gap> longest =
      new PriorityQueue<>(
          Comparator.comparingLong(Gap::nanos)
              .thenComparing(Comparator.comparingLong(Gap::beginNanos).reversed()));

  private int state;
  private int wait = NONE;
  private int nextCall;
  private Cause drained = Cause.LAUNCH;
  private String drainedWhere = "";
  private int step;

  GapFinder(
      Timeline timeline,
      Steps steps,
      Waits waits,
      HostStates states,
      Intervals hostBusy,
      GpuTime gpu) {
    this.hostBusy = hostBusy;
    this.timeline = timeline;
    this.steps = steps;
    this.waits = waits;
    this.states = states;
    profile = timeline.profile();
    places = new Places(timeline);
    hostIsAhead = new boolean[steps.count()];
    findAhead(gpu);
    find(gpu.all());
  }

  /**
   * Whether the host would be ahead of the GPU in a step if it never waited: launching the step
   * takes it less time than the GPU needs for it, or than it was ahead before. Recorded steps are
   * taken to be those of a longer run.
   */
  private void findAhead(GpuTime gpu) {
    long[] held = new long[steps.count()];
    for (int i = 0; i < states.count(); i++) {
      hold(states.begin(i), states.end(i), held);
    }
    for (int call = 0; call < timeline.callCount(); call++) {
      if (waits.isBlocked(call)
          && timeline.callKind(call) != CallKind.FREE
          && waits.cause(call) != Cause.PAGEABLE_COPY) {
        long end = Math.min(timeline.callEnd(call), timeline.workEnd(waits.workOf(call)));
        hold(timeline.callStart(call), end, held);
      }
    }
    long lead = 0;
    for (int round = 0; round < 2; round++) {
      for (int each = 0; each < steps.count(); each++) {
        StepTime time = gpu.within("", steps.gpuNanos(each), steps.gpuNanos(each + 1));
        long launching = steps.hostNanos(each + 1) - steps.hostNanos(each) - held[each];
        lead = Math.max(0, lead + time.busyNanos() - launching);
        hostIsAhead[each] = lead > 0;
      }
    }
  }

  /** Adds a stretch to the step in which it begins. */
  private void hold(long begin, long end, long[] held) {
    int at = steps.onHost(begin);
    if (at >= 0 && at < held.length) {
      held[at] += Math.max(0, Math.min(end, steps.hostNanos(at + 1)) - begin);
    }
  }

  private void find(Intervals busy) {
    int nextWork = 0;
    long at = steps.beginNanos();
    for (int i = busy.firstAfter(at); at < steps.endNanos(); i++) {
      long begin = i < busy.count() ? busy.begin(i) : Long.MAX_VALUE;
      long end = Math.min(begin, steps.endNanos());
      if (end > at) {
        while (nextWork < timeline.workCount() && timeline.workStart(nextWork) < end) {
          nextWork++;
        }
        boolean hasNext = nextWork < timeline.workCount() && begin == end;
        gap(at, end, hasNext ? nextWork : NONE);
      }
      at = i < busy.count() ? Math.max(at, busy.end(i)) : steps.endNanos();
    }
  }

  private void gap(long begin, long end, int nextWork) {
    while (step + 1 < steps.count() && steps.gpuNanos(step + 1) <= begin) {
      step++;
    }
    if (end - begin < MIN_NANOS) {
      add(begin, end, Cause.SHORT, "");
      return;
    }
    Cause rest = Cause.LAUNCH;
    String restWhere = "";
    int blocking = waitAt(begin);
    if (blocking != NONE) {
      rest = waits.cause(blocking);
      restWhere = places.of(timeline.callRow(blocking));
    } else if (nextWork != NONE
        && timeline.callOf(nextWork) != NONE
        && wasQueued(nextWork, begin)) {
      rest = queuedCause(nextWork);
      restWhere = Places.kernel(profile.name(timeline.workRow(nextWork)));
    } else if (hostIsAhead[step] && drained != Cause.LAUNCH) {
      rest = drained;
      restWhere = drainedWhere;
    } else if (nextWork != NONE && timeline.callOf(nextWork) != NONE) {
      restWhere = places.of(timeline.callRow(timeline.callOf(nextWork)));
    }
    cut(begin, end, rest, restWhere);
  }

  /** The call that was waiting for the GPU when a gap began. */
  private int waitAt(long begin) {
    while (nextCall < timeline.callCount() && timeline.callStart(nextCall) <= begin) {
      if (waits.isBlocked(nextCall)
          && timeline.callKind(nextCall) != CallKind.LAUNCH
          && (wait == NONE || timeline.callEnd(nextCall) >= timeline.callEnd(wait))) {
        wait = nextCall;
      }
      nextCall++;
    }
    return wait != NONE && timeline.callEnd(wait) + Waits.SLACK_NANOS >= begin ? wait : NONE;
  }

  private boolean wasQueued(int work, long begin) {
    return timeline.callEnd(timeline.callOf(work)) < begin - Waits.SLACK_NANOS;
  }

  private Cause queuedCause(int work) {
    if (timeline.workKind(work) == WorkKind.COMMUNICATE) {
      return Cause.COLLECTIVE;
    }
    int thread = timeline.callThread(timeline.callOf(work));
    int last = timeline.callOf(work);
    for (int call = last - 1; call >= Math.max(0, last - MAX_CALLS); call--) {
      if (timeline.callThread(call) == thread && timeline.callKind(call) == CallKind.STREAM_WAIT) {
        return Cause.STREAM;
      }
    }
    return Cause.UNKNOWN;
  }

  /** Cuts a gap where the host does something that is a cause by itself. */
  private void cut(long begin, long end, Cause rest, String restWhere) {
    while (state < states.count() && states.end(state) <= begin) {
      state++;
    }
    long at = begin;
    for (int i = state; i < states.count() && states.begin(i) < end; i++) {
      if (states.begin(i) > at) {
        rest(at, states.begin(i), rest, restWhere);
      }
      long from = Math.max(begin, states.begin(i));
      long to = Math.min(end, states.end(i));
      Cause cause = states.cause(i);
      String where = places.of(states.row(i));
      add(from, to, cause, where);
      if (to - from >= MIN_NANOS) {
        drained = cause;
        drainedWhere = where;
      }
      at = to;
    }
    if (at < end) {
      rest(at, end, rest, restWhere);
    }
    if (rest != Cause.LAUNCH) {
      drained = rest;
      drainedWhere = restWhere;
    }
  }

  /**
   * Splits what is left into the program's own code and the rest. A host that would be ahead runs
   * its code while the GPU is busy, unless it had to wait before.
   */
  private void rest(long begin, long end, Cause rest, String where) {
    if (rest != Cause.LAUNCH && hostIsAhead[step]) {
      add(begin, end, rest, where);
      return;
    }
    long at = begin;
    for (int i = hostBusy.firstAfter(begin); at < end; i++) {
      long next = i < hostBusy.count() ? Math.min(end, hostBusy.begin(i)) : end;
      if (next - at >= HOST_CODE_NANOS) {
        if (at > begin) {
          add(begin, at, rest, where);
        }
        add(at, next, Cause.HOST_CODE, codeAt(at + (next - at) / 2));
        drained = Cause.HOST_CODE;
        drainedWhere = "";
        begin = next;
      }
      at = i < hostBusy.count() ? Math.max(at, hostBusy.end(i)) : end;
    }
    if (begin < end) {
      add(begin, end, rest, where);
    }
  }

  /** The innermost row of Python that is running on the thread of the steps at a moment. */
  private String codeAt(long moment) {
    int low = 0;
    int high = profile.count();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (profile.startNanos(middle) <= moment) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    for (int row = low - 1, looked = 0; row >= 0 && looked < 4_096; row--, looked++) {
      if (profile.lane(row) == steps.thread() && profile.endNanos(row) >= moment) {
        return places.of(row);
      }
    }
    return "";
  }

  private void add(long begin, long end, Cause cause, String where) {
    all.add(begin, end, cause);
    long[] sum = sums.computeIfAbsent(new Key(cause, where), _ -> new long[2]);
    sum[0] += end - begin;
    sum[1]++;
    if (cause != Cause.SHORT) {
      longest.add(new Gap(begin, end, cause, where, step));
      if (longest.size() > MAX_KEPT) {
        longest.remove();
      }
    }
  }

  /** Idle time of all steps by cause and place, the longest first. */
  List<CauseSum> sums() {
    List<CauseSum> all = new ArrayList<>();
    sums.forEach((key, sum) -> all.add(new CauseSum(key.cause, key.where, sum[0], sum[1])));
    all.sort(
        Comparator.comparingLong(CauseSum::nanos)
            .reversed()
            .thenComparing(CauseSum::cause)
            .thenComparing(CauseSum::where));
    return all;
  }

  /** All gaps, in their order. */
  Gaps all() {
    return all;
  }

  /** The longest gaps, the longest first. */
  List<Gap> longest() {
    List<Gap> gaps = new ArrayList<>(longest);
    gaps.sort(Comparator.comparingLong(Gap::nanos).reversed().thenComparingLong(Gap::beginNanos));
    return gaps;
  }
}
