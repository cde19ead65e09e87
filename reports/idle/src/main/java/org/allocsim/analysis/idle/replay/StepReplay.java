package org.allocsim.analysis.idle.replay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.allocsim.analysis.idle.memory.AllocatorRun;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.allocsim.analysis.idle.timeline.CallKind;
import org.allocsim.analysis.idle.timeline.Cause;
import org.allocsim.analysis.idle.timeline.HostStates;
import org.allocsim.analysis.idle.timeline.Intervals;
import org.allocsim.analysis.idle.timeline.Steps;
import org.allocsim.analysis.idle.timeline.Timeline;
import org.allocsim.analysis.idle.timeline.Waits;
import org.allocsim.analysis.idle.timeline.WorkKind;
import org.allocsim.workloads.format.TimeOrder;
import org.jspecify.annotations.Nullable;

/**
 * Runs the recorded steps again: the host's threads in their order, the streams in theirs, and what
 * each waits for in the other.
 *
 * <p>An event of the host begins when the event that ended last before it in the recording ends,
 * and as long after it as recorded. A call that waits ends when the work that it waits for does.
 * Work begins when it was queued, the work before it on its stream is done, and so is work of
 * another stream that ended right before it. Whatever the recording has beyond these rules is kept
 * as a delay, so a replay without a change is the recording to the nanosecond.
 *
 * <p>Steps are repeated until queues are as they will be; lengths are means over the later repeats.
 */
final class StepReplay {
  private static final int NONE = -1;

  /** Work begins so long after other work that it seems to have waited for it. */
  private static final long FOLLOWING_NANOS = 10_000;

  private static final long NOTICEABLE_NANOS = 5_000;

  /** What a call takes that has nothing to do but to queue. */
  private static final long CALL_NANOS = 4_000;

  /** Streams that are compared with each other. */
  private static final int MAX_STREAMS = 64;

  private static final long MAX_EVENTS = 20_000_000;

  /** Work that the driver queues for a stream; the host waits where there is more. */
  private static final int QUEUE_DEPTH = 1024;

  private static final int MAX_DEPTH = 1 << 16;

  /** Reading a result that is there already. */
  private static final long READ_NANOS = 30_000;

  /** Taking a batch from a worker's queue. */
  static final long TAKE_NANOS = 300_000;

  /** To take a batch of many bytes that is ready takes a millisecond or two; longer is waiting. */
  private static final long WAITING_NANOS = 1_000_000;

  /** Workers are too slow if the program waits for them this part of the time or more. */
  private static final int SLOW_PART = 10;

  /** The host's own code between events, which graphs do not have, is shorter than this. */
  private static final long CODE_NANOS = 500_000;

  // What the profiler adds for a row, in medians of the launches under it: a processor that is half
  // as fast needs twice the time for both. Medians over six programs on one machine with an H200
  // (PyTorch 2.11): profiled steps less these are as long as steps without a profiler.
  private static final double OPERATOR_COST = 0.28;
  private static final double CALL_COST = 0.5;
  private static final double PYTHON_COST = 0.06;

  private static final byte BOUNDARY = 0;
  private static final byte CALL = 1;
  private static final byte LOAD = 2;
  private static final byte COLLECTION = 3;

  private final Timeline timeline;
  private final TimeProfile profile;
  private final Steps steps;
  private final Waits waits;

  // Events of the host from the first boundary to the last.
  private int count;
  private byte[] types = new byte[256];
  private int[] subjects = new int[256];
  private long[] begins = new long[256];
  private long[] ends = new long[256];
  private final int[] before;

  /** What the profiler took of the host's time before an event. */
  private final long[] profilerNanos;

  /** What the profiler takes of a call. */
  private long profilerCallNanos;

  /** Work in the order in which it was queued. */
  private final int[] queued;

  // Work.
  private final int[] crossing;
  private final long[] latency;
  private final long[] following;
  private final long[] crossed;
  private final long[] delay;
  private final int queueDepth;

  private final double pinnedBytesPerNano;

  /** Whether the steps are as long as the workers need for their batches. */
  private final boolean areWorkersSlow;

  StepReplay(Timeline timeline, Steps steps, Waits waits) {
    this.timeline = timeline;
    this.steps = steps;
    this.waits = waits;
    profile = timeline.profile();
    collect();
    before = new int[count];
    findBefore();
    profilerNanos = new long[count];
    findProfilerTime();
    int works = timeline.workCount();
    crossing = new int[works];
    latency = new long[works];
    following = new long[works];
    crossed = new long[works];
    delay = new long[works];
    queued = byQueue();
    orderWork();
    queueDepth = Math.clamp(waits.maxQueued(), QUEUE_DEPTH, MAX_DEPTH);
    pinnedBytesPerNano = pinnedSpeed();
    areWorkersSlow = areWorkersSlow();
  }

  private void collect() {
    int loads = 0;
    long[] loadEnds = new long[profile.laneCount()];
    for (int row = 0; row < profile.count(); row++) {
      if (timeline.isLoad(row) && profile.startNanos(row) >= loadEnds[profile.lane(row)]) {
        event(LOAD, row, profile.startNanos(row), profile.endNanos(row));
        loadEnds[profile.lane(row)] = profile.endNanos(row);
        loads++;
      } else if (HostStates.isCollection(profile, row)) {
        event(COLLECTION, row, profile.startNanos(row), profile.endNanos(row));
      }
    }
    for (int step = 0; step <= steps.count(); step++) {
      event(BOUNDARY, step, steps.hostNanos(step), steps.hostNanos(step));
    }
    Intervals[] loading = new Intervals[profile.laneCount()];
    for (int i = 0; i < count && loads > 0; i++) {
      if (types[i] == LOAD) {
        int lane = profile.lane(subjects[i]);
        loading[lane] = loading[lane] == null ? new Intervals() : loading[lane];
        loading[lane].add(begins[i], ends[i]);
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
        event(CALL, call, begin, timeline.callEnd(call));
      }
    }
    sort();
  }

  private void event(byte type, int subject, long begin, long end) {
    if (begin < steps.hostNanos(0) || begin > steps.hostNanos(steps.count())) {
      return;
    }
    if (count == types.length) {
      types = Arrays.copyOf(types, count * 2);
      subjects = Arrays.copyOf(subjects, count * 2);
      begins = Arrays.copyOf(begins, count * 2);
      ends = Arrays.copyOf(ends, count * 2);
    }
    types[count] = type;
    subjects[count] = subject;
    begins[count] = begin;
    ends[count++] = end;
  }

  /** By begin; a boundary comes before what begins with its step, but the last comes last. */
  private void sort() {
    long[] keys = new long[count];
    for (int i = 0; i < count; i++) {
      boolean isLast = types[i] == BOUNDARY && subjects[i] == steps.count();
      keys[i] = begins[i] * 3 + (isLast ? 2 : types[i] == BOUNDARY ? 0 : 1);
    }
    int[] order = TimeOrder.of(keys, count);
    byte[] oldTypes = types.clone();
    int[] oldSubjects = subjects.clone();
    long[] oldBegins = begins.clone();
    long[] oldEnds = ends.clone();
    for (int i = 0; i < count; i++) {
      types[i] = oldTypes[order[i]];
      subjects[i] = oldSubjects[order[i]];
      begins[i] = oldBegins[order[i]];
      ends[i] = oldEnds[order[i]];
    }
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

  private int[] byQueue() {
    long[] nanos = new long[timeline.workCount()];
    for (int work = 0; work < nanos.length; work++) {
      nanos[work] = timeline.queuedNanos(work);
    }
    return TimeOrder.of(nanos, nanos.length);
  }

  /** Work of the steps whose call the profile lacks cannot be queued again. */
  private boolean isReplayed(int work) {
    return timeline.callOf(work) != NONE || timeline.queuedNanos(work) < steps.hostNanos(0);
  }

  private void orderWork() {
    int[] last = new int[profile.laneCount()];
    int[] streams = new int[profile.laneCount()];
    int streamCount = 0;
    Arrays.fill(last, NONE);
    long usualLatency = usualLatency();
    for (int work : queued) {
      if (!isReplayed(work)) {
        continue;
      }
      int stream = timeline.workStream(work);
      long start = timeline.workStart(work);
      crossing[work] = NONE;
      long base = Long.MIN_VALUE;
      if (timeline.callOf(work) != NONE) {
        latency[work] = Math.min(usualLatency, start - timeline.queuedNanos(work));
        base = timeline.queuedNanos(work) + latency[work];
      }
      if (last[stream] != NONE) {
        following[work] = Math.min(1_000, start - timeline.workEnd(last[stream]));
        base = Math.max(base, timeline.workEnd(last[stream]) + following[work]);
      } else {
        streams[streamCount++] = stream;
      }
      if (start - base > NOTICEABLE_NANOS) {
        int found = NONE;
        for (int i = 0; i < Math.min(streamCount, MAX_STREAMS); i++) {
          int other = last[streams[i]];
          if (streams[i] != stream
              && other != NONE
              && timeline.workEnd(other) <= start + 1_000
              && timeline.workEnd(other) >= start - FOLLOWING_NANOS
              && timeline.queuedNanos(other) < timeline.queuedNanos(work)
              && (found == NONE || timeline.workEnd(other) > timeline.workEnd(found))) {
            found = other;
          }
        }
        if (found != NONE) {
          crossing[work] = found;
          crossed[work] = start - timeline.workEnd(found);
          base = start;
        }
      }
      delay[work] = base == Long.MIN_VALUE ? 0 : start - base;
      last[stream] = work;
    }
  }

  /** The median time from a launch to the begin of a kernel on a stream that has nothing to do. */
  private long usualLatency() {
    long[] found = new long[timeline.workCount()];
    int founds = 0;
    long[] end = new long[profile.laneCount()];
    for (int work = 0; work < timeline.workCount(); work++) {
      int stream = timeline.workStream(work);
      if (timeline.callOf(work) != NONE
          && end[stream] < timeline.queuedNanos(work)
          && !timeline.workKind(work).isCopy()) {
        found[founds++] = timeline.workStart(work) - timeline.queuedNanos(work);
      }
      end[stream] = Math.max(end[stream], timeline.workEnd(work));
    }
    Arrays.sort(found, 0, founds);
    return founds == 0 ? NOTICEABLE_NANOS : Math.max(0, found[founds / 2]);
  }

  /** The median time of launches that do not wait; 0 where there is none. */
  long launchNanos() {
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

  /** Bytes that a copy from pinned memory moves in a nanosecond: as measured, else of the bus. */
  private double pinnedSpeed() {
    long bytes = 0;
    long nanos = 0;
    for (int work = 0; work < timeline.workCount(); work++) {
      long its = profile.bytes(timeline.workRow(work));
      if (timeline.workKind(work) == WorkKind.FROM_PINNED && its >= 1 << 20) {
        bytes += its;
        nanos += timeline.workEnd(work) - timeline.workStart(work);
      }
    }
    return nanos > 0 ? (double) bytes / nanos : busSpeed(profile.source().gpuName());
  }

  /** What copies from pinned memory reach of the bus of a GPU: 26 GB/s of PCIe 4, 55 of PCIe 5. */
  private static double busSpeed(@Nullable String gpu) {
    boolean isFast =
        gpu != null && (gpu.contains("H100") || gpu.contains("H200") || gpu.contains("B200"));
    return isFast ? 55 : 26;
  }

  /**
   * Runs the steps under a change.
   *
   * @param recordedWorkers workers of the data loader in the recording; 0 where that is unknown
   * @param isProfiled whether the host takes as long as under the profiler
   * @param allocator what the allocator does instead of what it did; null where it does the same
   */
  Prediction run(
      Change change, int recordedWorkers, boolean isProfiled, @Nullable AllocatorRun allocator) {
    return new Course(change, recordedWorkers, isProfiled, allocator).run();
  }

  /** Runs the steps under a change, without the profiler; how the last run of one of them was. */
  ReplayedStep step(
      Change change, int recordedWorkers, @Nullable AllocatorRun allocator, int step) {
    Course course = new Course(change, recordedWorkers, false, allocator);
    course.run();
    return course.step(step);
  }

  private boolean areWorkersSlow() {
    long waited = 0;
    for (int event = 0; event < count; event++) {
      if (types[event] == LOAD && !timeline.isLoadedHere(subjects[event])) {
        waited += Math.max(0, ends[event] - begins[event] - WAITING_NANOS);
      }
    }
    return waited > (steps.hostNanos(steps.count()) - steps.hostNanos(0)) / SLOW_PART;
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

  /** Whether the steps have copies of a kind that matter. */
  boolean hasCopies(WorkKind kind) {
    long sum = 0;
    for (int work = 0; work < timeline.workCount(); work++) {
      if (timeline.workKind(work) == kind && timeline.queuedNanos(work) >= steps.hostNanos(0)) {
        sum += timeline.workEnd(work) - timeline.workStart(work);
      }
    }
    return sum > (steps.endNanos() - steps.beginNanos()) / 200;
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

  /** One replay. */
  private final class Course {
    private final Change change;
    private final boolean isProfiled;
    private final long[] newBegins = new long[count];
    private final long[] newEnds = new long[count];
    private final long[] workBegins = new long[timeline.workCount()];
    private final long[] workEnds = new long[timeline.workCount()];
    private final int[] last = new int[profile.laneCount()];
    private final long[][] rings = new long[profile.laneCount()][];
    private final int[] ringNext = new int[profile.laneCount()];
    private int ringCount;

    /** When the GPU was through with what was queued before each step, in the last round. */
    private final long[] boundaries = new long[steps.count() + 1];

    private long maxEnd;
    private final @Nullable RecordedLoader loader;
    private final boolean isGraphed;
    private final @Nullable AllocatorCalls calls;

    /** What a batch takes, where the data loader is changed. */
    private final long[] services;

    private int loads;
    private final long roundNanos;
    private int round;

    Course(
        Change change, int recordedWorkers, boolean isProfiled, @Nullable AllocatorRun allocator) {
      calls = allocator == null ? null : new AllocatorCalls(allocator, begins, count, steps);
      this.change = change;
      this.isProfiled = isProfiled;
      isGraphed = change.has(Change.Part.GRAPHS);
      Arrays.fill(last, NONE);
      roundNanos = steps.hostNanos(steps.count()) - steps.hostNanos(0);
      services = change.workers() >= 0 ? services(recordedWorkers) : new long[0];
      loader =
          services.length == 0 || change.workers() == 0
              ? null
              : new RecordedLoader(
                  services, change.workers(), change.prefetch(), steps.hostNanos(0));
      for (int work : queued) {
        if (timeline.queuedNanos(work) < steps.hostNanos(0)) {
          workBegins[work] = timeline.workStart(work);
          workEnds[work] = timeline.workEnd(work);
          place(work, false);
        }
      }
    }

    Prediction run() {
      int rounds = rounds();
      int warm = change.equals(Change.NONE) && rounds == 1 ? 0 : rounds / 2;
      long from = 0;
      long busy = 0;
      for (round = 0; round < rounds; round++) {
        if (round == warm) {
          from = round == 0 ? firstBoundary() : boundary();
        }
        runRound();
        if (round >= warm) {
          busy += busyNanos();
        }
      }
      long measured = (long) (rounds - warm) * steps.count();
      return new Prediction(change, (boundary() - from) / measured, busy / measured, null, 0);
    }

    private int rounds() {
      int ahead = loader == null ? 8 : 8 * change.workers() * change.prefetch();
      long wanted = Math.max(4, 2L * (ahead + steps.count() - 1) / steps.count());
      return (int) Math.max(2, Math.min(wanted, MAX_EVENTS / Math.max(1, count)));
    }

    private long firstBoundary() {
      return Math.max(steps.hostNanos(0), lastEnd());
    }

    private long boundary() {
      return Math.max(newEnds[count - 1], lastEnd());
    }

    /** When all work that is queued so far is done. */
    private long lastEnd() {
      return maxEnd;
    }

    private long busyNanos() {
      long[] roundBegins = new long[timeline.workCount()];
      long[] roundEnds = new long[timeline.workCount()];
      int works = 0;
      for (int event = 0; event < count; event++) {
        if (types[event] == CALL) {
          for (int work = timeline.firstWorkOf(subjects[event]);
              work != NONE;
              work = timeline.nextWorkOfCall(work)) {
            roundBegins[works] = workBegins[work];
            roundEnds[works++] = workEnds[work];
          }
        }
      }
      return Intervals.unionNanos(roundBegins, roundEnds, works);
    }

    /** A step of the last round. */
    ReplayedStep step(int step) {
      List<ReplayedStep.Work> works = new ArrayList<>();
      int at = NONE;
      for (int event = 0; event < count; event++) {
        if (types[event] == BOUNDARY) {
          at = subjects[event];
        } else if (types[event] == CALL && at == step) {
          for (int work = timeline.firstWorkOf(subjects[event]);
              work != NONE;
              work = timeline.nextWorkOfCall(work)) {
            works.add(
                new ReplayedStep.Work(timeline.workKind(work), workBegins[work], workEnds[work]));
          }
        }
      }
      works.sort(Comparator.comparingLong(ReplayedStep.Work::beginNanos));
      return new ReplayedStep(change, boundaries[step], boundaries[step + 1], works);
    }

    private void runRound() {
      long start = round == 0 ? steps.hostNanos(0) : newEnds[count - 1];
      newBegins[0] = start;
      newEnds[0] = start;
      boundaries[0] = Math.max(start, lastEnd());
      for (int event = 1; event < count; event++) {
        int earlier = before[event];
        long own = begins[event] - ends[earlier];
        newBegins[event] = newEnds[earlier] + spent(event, own);
        if (calls != null) {
          if (calls.waitsBefore(event)) {
            newBegins[event] = Math.max(newBegins[event], lastEnd());
          }
          newBegins[event] += scaled(calls.nanosBefore(event));
        }
        newEnds[event] = newBegins[event];
        switch (types[event]) {
          case LOAD -> load(event);
          case CALL -> call(event, subjects[event]);
          case COLLECTION -> {
            if (!change.has(Change.Part.NO_GC)) {
              newEnds[event] += scaled(ends[event] - begins[event]);
            }
          }
          default -> {
            if (change.has(Change.Part.ITEM)) {
              newEnds[event] = Math.max(newEnds[event], lastEnd()) + READ_NANOS;
            }
            boundaries[subjects[event]] = Math.max(newEnds[event], lastEnd());
          }
        }
      }
    }

    /** The host's own time before an event. */
    private long spent(int event, long recorded) {
      if (isGraphed
          && types[event] != LOAD
          && (recorded < CODE_NANOS || profilerNanos[event] > 0)) {
        return 0;
      }
      if (isProfiled) {
        return scaled(recorded);
      }
      return scaled(recorded - Math.min(recorded / 5 * 4, profilerNanos[event]));
    }

    private long scaled(long nanos) {
      return change.hostSpeed() == 1 ? nanos : Math.round(nanos / change.hostSpeed());
    }

    private void load(int event) {
      long recorded = ends[event] - begins[event];
      if (loader != null) {
        newEnds[event] = loader.take(newBegins[event]) + TAKE_NANOS;
      } else if (services.length > 0) {
        newEnds[event] += services[loads++ % services.length];
      } else if (timeline.isLoadedHere(subjects[event])
          || !areWorkersSlow
          || recorded < WAITING_NANOS) {
        newEnds[event] += recorded;
      } else {
        // Workers go on at their own pace, whatever the program does meanwhile.
        newEnds[event] = Math.max(newBegins[event] + TAKE_NANOS, ends[event] + round * roundNanos);
      }
    }

    private void call(int event, int call) {
      CallKind kind = timeline.callKind(call);
      Cause cause = waits.cause(call);
      long recorded = ends[event] - begins[event];
      boolean isLeftOut =
          kind != CallKind.LAUNCH
              && (change.leavesOut(cause) || calls != null && isOfAllocator(call, kind, cause));
      boolean queues = timeline.firstWorkOf(call) != NONE;
      long own =
          isProfiled ? recorded : Math.min(recorded, Math.max(1_000, recorded - profilerCallNanos));
      if (isLeftOut) {
        newEnds[event] += queues ? scaled(Math.min(own, CALL_NANOS)) : 0;
      } else if (isGraphed && isLaunching(kind)) {
        newEnds[event] = newBegins[event];
      } else if (waits.isBlocked(call)) {
        newEnds[event] += Math.min(own, CALL_NANOS);
      } else {
        newEnds[event] += scaled(own);
      }
      for (int work = timeline.firstWorkOf(call);
          work != NONE;
          work = timeline.nextWorkOfCall(work)) {
        queue(event, work);
      }
      int awaited = waits.workOf(call);
      if (awaited == NONE || isLeftOut || isGraphed && isLaunching(kind)) {
        return;
      }
      long recordedEnd = timeline.workEnd(awaited);
      if (waits.isBlocked(call)) {
        long end =
            kind == CallKind.FREE || kind == CallKind.SYNC_DEVICE ? lastEnd() : workEnds[awaited];
        newEnds[event] = Math.max(newEnds[event], end + (ends[event] - recordedEnd));
      } else if (kind != CallKind.LAUNCH) {
        newEnds[event] = Math.max(newEnds[event], Math.min(workEnds[awaited], lastEnd()));
      }
    }

    /** Whether the allocator of the GPU makes the call, which does something else now. */
    private boolean isOfAllocator(int call, CallKind kind, Cause cause) {
      return switch (cause) {
        case RETRY, RECLAIM, EMPTY_CACHE -> true;
        case ALLOCATOR ->
            (kind == CallKind.ALLOCATE || kind == CallKind.FREE) && !waits.isOnHost(call);
        default -> false;
      };
    }

    private static boolean isLaunching(CallKind kind) {
      return kind == CallKind.LAUNCH || kind == CallKind.FILL || kind == CallKind.OTHER;
    }

    private void queue(int event, int work) {
      int stream = timeline.workStream(work);
      long[] ring = rings[stream];
      if (ring != null && ring[ringNext[stream]] > newEnds[event]) {
        newEnds[event] = ring[ringNext[stream]];
        newBegins[event] = Math.max(newBegins[event], newEnds[event] - CALL_NANOS);
      }
      long start = newBegins[event] + latency[work];
      if (last[stream] != NONE) {
        start = Math.max(start, workEnds[last[stream]] + following[work]);
      }
      if (crossing[work] != NONE) {
        start = Math.max(start, workEnds[crossing[work]] + crossed[work]);
      }
      workBegins[work] = start + delay(work);
      workEnds[work] = workBegins[work] + nanos(work);
      place(work, timeline.nextWorkOfCall(work) == NONE);
    }

    private long delay(int work) {
      boolean isPinned =
          timeline.workKind(work) == WorkKind.FROM_PAGEABLE && change.has(Change.Part.PINNED);
      return isPinned || isGraphed ? 0 : delay[work];
    }

    private long nanos(int work) {
      long recorded = timeline.workEnd(work) - timeline.workStart(work);
      return switch (timeline.workKind(work)) {
        case COMPUTE ->
            change.gpuSpeed() == 1 ? recorded : Math.round(recorded / change.gpuSpeed());
        case FROM_PAGEABLE ->
            change.has(Change.Part.PINNED)
                ? Math.min(
                    recorded,
                    Math.round(profile.bytes(timeline.workRow(work)) / pinnedBytesPerNano) + 1_000)
                : recorded;
        default -> recorded;
      };
    }

    /** Keeps the last of the stream; the last of a call also takes a place in the queue. */
    private void place(int work, boolean isQueued) {
      int stream = timeline.workStream(work);
      maxEnd = Math.max(maxEnd, workEnds[work]);
      last[stream] = work;
      if (isQueued && rings[stream] == null && ringCount < MAX_STREAMS) {
        rings[stream] = new long[queueDepth];
        ringCount++;
      }
      if (isQueued && rings[stream] != null) {
        rings[stream][ringNext[stream]] = workEnds[work];
        ringNext[stream] = (ringNext[stream] + 1) % queueDepth;
      }
    }
  }

  /** The largest difference between a replay without a change and the recording. */
  long errorNanos() {
    Course course = new Course(Change.NONE, 0, true, null);
    course.runRound();
    long error = Math.abs(course.boundary() - steps.gpuNanos(steps.count()));
    for (int event = 0; event < count; event++) {
      error = Math.max(error, Math.abs(course.newEnds[event] - ends[event]));
    }
    return error;
  }
}
