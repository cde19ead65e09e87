package org.allocsim.analysis.idle.replay;

import java.util.Arrays;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.allocsim.analysis.idle.timeline.CallKind;
import org.allocsim.analysis.idle.timeline.HostStates;
import org.allocsim.analysis.idle.timeline.Intervals;
import org.allocsim.analysis.idle.timeline.Steps;
import org.allocsim.analysis.idle.timeline.Timeline;
import org.allocsim.analysis.idle.timeline.Waits;
import org.allocsim.simulator.column.IntColumn;
import org.allocsim.simulator.column.LongColumn;
import org.allocsim.workloads.format.TimeOrder;

/**
 * What the host does in the recorded steps that has to be done again: calls, batches of the data
 * loader, collections of garbage, and the boundaries of steps, in the order in which they begin.
 */
final class HostEvents {
  static final byte BOUNDARY = 0;
  static final byte CALL = 1;
  static final byte LOAD = 2;
  static final byte COLLECTION = 3;

  private static final int NONE = -1;

  /** To take a batch of many bytes that is ready takes a millisecond or two; longer is waiting. */
  static final long WAITING_NANOS = 1_000_000;

  /** Workers are too slow if the program waits for them this part of the time or more. */
  private static final int SLOW_PART = 10;

  // What the profiler adds for a row, in medians of the launches under it: a processor that is half
  // as fast needs twice the time for both. Medians over six programs on one machine with an H200
  // (PyTorch 2.11): profiled steps less these are as long as steps without a profiler.
  private static final double OPERATOR_COST = 0.28;
  private static final double CALL_COST = 0.5;
  private static final double PYTHON_COST = 0.06;

  private final Timeline timeline;
  private final TimeProfile profile;
  private final Steps steps;
  private final Waits waits;
  private final int count;
  private final byte[] types;
  private final int[] subjects;
  private final long[] begins;
  private final long[] ends;
  private final int[] before;
  private final long[] profilerNanos;
  private long profilerCallNanos;

  /** Whether the steps are as long as the workers need for their batches. */
  private final boolean areWorkersSlow;

  HostEvents(Timeline timeline, Steps steps, Waits waits) {
    this.timeline = timeline;
    this.steps = steps;
    this.waits = waits;
    profile = timeline.profile();
    Found found = found();
    int[] order = found.order();
    count = order.length;
    types = new byte[count];
    subjects = new int[count];
    begins = new long[count];
    ends = new long[count];
    for (int event = 0; event < count; event++) {
      types[event] = (byte) found.types.get(order[event]);
      subjects[event] = found.subjects.get(order[event]);
      begins[event] = found.begins.get(order[event]);
      ends[event] = found.ends.get(order[event]);
    }
    before = new int[count];
    findBefore();
    profilerNanos = new long[count];
    findProfilerTime();
    areWorkersSlow = findSlowWorkers();
  }

  /** Events of the recorded steps as they are found. */
  private final class Found {
    private final IntColumn types = new IntColumn();
    private final IntColumn subjects = new IntColumn();
    private final LongColumn begins = new LongColumn();
    private final LongColumn ends = new LongColumn();

    void add(byte type, int subject, long begin, long end) {
      if (begin >= steps.hostNanos(0) && begin <= steps.hostNanos(steps.count())) {
        types.add(type);
        subjects.add(subject);
        begins.add(begin);
        ends.add(end);
      }
    }

    /** By begin; a boundary comes before what begins with its step, but the last comes last. */
    int[] order() {
      long[] keys = begins.toArray();
      for (int i = 0; i < keys.length; i++) {
        boolean isBoundary = types.get(i) == BOUNDARY;
        boolean isLast = isBoundary && subjects.get(i) == steps.count();
        keys[i] = keys[i] * 3 + (isLast ? 2 : isBoundary ? 0 : 1);
      }
      return TimeOrder.of(keys, keys.length);
    }
  }

  private Found found() {
    Found found = new Found();
    int loads = 0;
    long[] loadEnds = new long[profile.laneCount()];
    for (int row = 0; row < profile.count(); row++) {
      if (timeline.isLoad(row) && profile.startNanos(row) >= loadEnds[profile.lane(row)]) {
        found.add(LOAD, row, profile.startNanos(row), profile.endNanos(row));
        loadEnds[profile.lane(row)] = profile.endNanos(row);
        loads++;
      } else if (HostStates.isCollection(profile, row)) {
        found.add(COLLECTION, row, profile.startNanos(row), profile.endNanos(row));
      }
    }
    for (int step = 0; step <= steps.count(); step++) {
      found.add(BOUNDARY, step, steps.hostNanos(step), steps.hostNanos(step));
    }
    Intervals[] loading = new Intervals[profile.laneCount()];
    for (int i = 0; i < found.types.count() && loads > 0; i++) {
      if (found.types.get(i) == LOAD) {
        int lane = profile.lane(found.subjects.get(i));
        loading[lane] = loading[lane] == null ? new Intervals() : loading[lane];
        loading[lane].add(found.begins.get(i), found.ends.get(i));
      }
    }
    for (int call = 0; call < timeline.callCount(); call++) {
      int thread = timeline.callThread(call);
      long begin = timeline.callStart(call);
      boolean isLoading =
          loading[thread] != null
              && loading[thread].coveredNanos(begin, begin + 1) > 0
              && timeline.firstWorkOf(call) == NONE;
      if ((timeline.launches(thread) || thread == steps.thread()) && !isLoading) {
        found.add(CALL, call, begin, timeline.callEnd(call));
      }
    }
    return found;
  }

  private void findBefore() {
    int[] byEnd = TimeOrder.of(ends, count);
    int ended = 0;
    int last = 0;
    for (int event = 0; event < count; event++) {
      while (ended < count && ends[byEnd[ended]] <= begins[event] && byEnd[ended] < event) {
        last = byEnd[ended++];
      }
      before[event] = last;
    }
  }

  /** What the profiler took for rows on the threads of the host, by the event that follows them. */
  private void findProfilerTime() {
    if (profile.source().profiler() != TimeProfile.Profiler.KINETO) {
      // What others cost was not measured.
      return;
    }
    long launch = launchNanos();
    int event = 0;
    for (int row = 0; row < profile.count() && event < count; row++) {
      int lane = profile.lane(row);
      double cost =
          switch (profile.kind(row)) {
            case OPERATOR, ANNOTATION -> OPERATOR_COST;
            case PYTHON -> PYTHON_COST;
            default -> 0;
          };
      if (cost == 0
          || !timeline.launches(lane) && lane != steps.thread()
          || profile.startNanos(row) < steps.hostNanos(0)) {
        continue;
      }
      while (event < count && begins[event] < profile.startNanos(row)) {
        event++;
      }
      if (event < count) {
        profilerNanos[event] += Math.round(cost * launch);
      }
    }
    profilerCallNanos = Math.round(CALL_COST * launch);
  }

  /** The median time of launches that do not wait; 0 where there is none. */
  private long launchNanos() {
    long[] found = new long[timeline.callCount()];
    int founds = 0;
    for (int call = 0; call < timeline.callCount(); call++) {
      if (timeline.callKind(call) == CallKind.LAUNCH && !waits.isBlocked(call)) {
        found[founds++] = timeline.callEnd(call) - timeline.callStart(call);
      }
    }
    Arrays.sort(found, 0, founds);
    return founds == 0 ? 0 : found[founds / 2];
  }

  private boolean findSlowWorkers() {
    long waited = 0;
    for (int event = 0; event < count; event++) {
      if (types[event] == LOAD && !timeline.isLoadedHere(subjects[event])) {
        waited += Math.max(0, ends[event] - begins[event] - WAITING_NANOS);
      }
    }
    return waited > (steps.hostNanos(steps.count()) - steps.hostNanos(0)) / SLOW_PART;
  }

  /** Number of events; the first and the last are boundaries of steps. */
  int count() {
    return count;
  }

  /** What an event is: one of the constants. */
  byte type(int event) {
    return types[event];
  }

  /** Number of the call or step, else the row of the profile. */
  int subject(int event) {
    return subjects[event];
  }

  /** When it began in the recording. */
  long begin(int event) {
    return begins[event];
  }

  /** When it ended in the recording. */
  long end(int event) {
    return ends[event];
  }

  /** The event that ended last before it. */
  int before(int event) {
    return before[event];
  }

  /** What the profiler took of the host's time before it. */
  long profilerNanos(int event) {
    return profilerNanos[event];
  }

  /** What the profiler takes of a call. */
  long profilerCallNanos() {
    return profilerCallNanos;
  }

  /** The first event that begins at a moment or later, after the first boundary. */
  int firstFrom(long moment) {
    int place = Arrays.binarySearch(begins, 0, count, moment);
    return Math.clamp(place >= 0 ? place : -1 - place, 1, count - 1);
  }

  /** Whether workers of the data loader are slower than the program. */
  boolean areWorkersSlow() {
    return areWorkersSlow;
  }

  /** What a worker needs for each batch; empty where the profile does not say it. */
  long[] services(int recordedWorkers) {
    long[] taken = new long[count];
    long[] waited = new long[count];
    int loads = 0;
    for (int event = 0; event < count; event++) {
      if (types[event] == LOAD) {
        taken[loads] = ends[event];
        waited[loads++] = ends[event] - begins[event];
      }
    }
    if (loads == 0 || loadsHere()) {
      return Arrays.copyOf(waited, loads);
    }
    // A worker that is never idle gives a batch for each time that it needs for one; the program
    // takes it at once if it waits.
    long[] found = new long[loads];
    int founds = 0;
    for (int load = 0; load < loads; load++) {
      boolean waits = waited[load] >= WAITING_NANOS;
      if (waits
          && recordedWorkers > 0
          && load >= recordedWorkers
          && waited[load - recordedWorkers] >= WAITING_NANOS) {
        found[founds++] = taken[load] - taken[load - recordedWorkers];
      }
    }
    if (recordedWorkers <= 0 || !areWorkersSlow) {
      return new long[0];
    }
    if (founds == 0) {
      long window = steps.hostNanos(steps.count()) - steps.hostNanos(0);
      return new long[] {window / loads * recordedWorkers};
    }
    Arrays.sort(found, 0, founds);
    return new long[] {found[founds / 2]};
  }

  /** Whether the program waits for a data loader. */
  boolean hasLoads() {
    for (int event = 0; event < count; event++) {
      if (types[event] == LOAD) {
        return true;
      }
    }
    return false;
  }

  /** Whether Python collects garbage in the steps, as far as the profile shows. */
  boolean hasCollections() {
    for (int event = 0; event < count; event++) {
      if (types[event] == COLLECTION) {
        return true;
      }
    }
    return false;
  }

  /** Whether the program loaded its data itself. */
  boolean loadsHere() {
    for (int event = 0; event < count; event++) {
      if (types[event] == LOAD) {
        return timeline.isLoadedHere(subjects[event]);
      }
    }
    return false;
  }
}
