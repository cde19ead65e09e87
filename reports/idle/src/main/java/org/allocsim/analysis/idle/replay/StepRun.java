package org.allocsim.analysis.idle.replay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.allocsim.analysis.idle.memory.AllocatorRun;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.allocsim.analysis.idle.timeline.CallKind;
import org.allocsim.analysis.idle.timeline.Cause;
import org.allocsim.analysis.idle.timeline.Intervals;
import org.allocsim.analysis.idle.timeline.Steps;
import org.allocsim.analysis.idle.timeline.Timeline;
import org.allocsim.analysis.idle.timeline.Waits;
import org.allocsim.analysis.idle.timeline.WorkKind;
import org.jspecify.annotations.Nullable;

/**
 * One replay of recorded steps under a change. Steps are repeated until queues are as they will be;
 * lengths are means over the later repeats.
 */
final class StepRun {
  private static final int NONE = -1;

  /** What a call takes that has nothing to do but to queue. */
  private static final long CALL_NANOS = 4_000;

  /** Streams that are whose queues are limited. */
  private static final int MAX_STREAMS = 64;

  private static final long MAX_EVENTS = 20_000_000;

  /** Work that the driver queues for a stream; the host waits where there is more. */
  private static final int QUEUE_DEPTH = 1024;

  private static final int MAX_DEPTH = 1 << 16;

  /** Reading a result that is there already. */
  private static final long READ_NANOS = 30_000;

  /** Taking a batch from a worker's queue. */
  static final long TAKE_NANOS = 300_000;

  /** The host's own code between events, which graphs do not have, is shorter than this. */
  private static final long CODE_NANOS = 500_000;

  private final Timeline timeline;
  private final TimeProfile profile;
  private final Steps steps;
  private final Waits waits;
  private final HostEvents events;
  private final WorkOrder order;
  private final @Nullable BatchFit batches;
  private final int queueDepth;
  private final Change change;
  private final boolean isProfiled;
  private final long[] newBegins;
  private final long[] newEnds;
  private final long[] workBegins;
  private final long[] workEnds;
  private final int[] last;
  private final long[][] rings;
  private final int[] ringNext;
  private int ringCount;

  /** When the GPU was through with what was queued before each step, in the last round. */
  private final long[] boundaries;

  private long maxEnd;
  private final @Nullable RecordedLoader loader;
  private final boolean isGraphed;
  private final @Nullable AllocatorCalls calls;

  /** What a batch takes, where the data loader is changed. */
  private final long[] services;

  private int loads;
  private final long roundNanos;
  private int round;

  /**
   * A replay that is still to be made.
   *
   * @param recordedWorkers workers of the data loader in the recording; 0 where that is unknown
   * @param isProfiled whether the host takes as long as under the profiler
   * @param allocator what the allocator does instead of what it did; null where it does the same
   */
  StepRun(
      RecordedSteps recorded,
      Change change,
      int recordedWorkers,
      boolean isProfiled,
      @Nullable AllocatorRun allocator) {
    timeline = recorded.timeline();
    profile = timeline.profile();
    steps = recorded.steps();
    waits = recorded.waits();
    events = recorded.events();
    order = recorded.order();
    batches = change.isOfBatch() ? recorded.batches() : null;
    queueDepth = Math.clamp(waits.maxQueued(), QUEUE_DEPTH, MAX_DEPTH);
    newBegins = new long[events.count()];
    newEnds = new long[events.count()];
    workBegins = new long[timeline.workCount()];
    workEnds = new long[timeline.workCount()];
    last = new int[profile.laneCount()];
    rings = new long[profile.laneCount()][];
    ringNext = new int[profile.laneCount()];
    boundaries = new long[steps.count() + 1];
    calls = allocator == null ? null : new AllocatorCalls(allocator, events, steps);
    this.change = change;
    this.isProfiled = isProfiled;
    isGraphed = change.has(Change.Part.GRAPHS);
    Arrays.fill(last, NONE);
    roundNanos = steps.hostNanos(steps.count()) - steps.hostNanos(0);
    services = change.workers() >= 0 ? events.services(recordedWorkers) : new long[0];
    loader =
        services.length == 0 || change.workers() == 0
            ? null
            : new RecordedLoader(services, change.workers(), change.prefetch(), steps.hostNanos(0));
    for (int work : order.queued()) {
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
    return (int) Math.max(2, Math.min(wanted, MAX_EVENTS / Math.max(1, events.count())));
  }

  private long firstBoundary() {
    return Math.max(steps.hostNanos(0), lastEnd());
  }

  private long boundary() {
    return Math.max(newEnds[events.count() - 1], lastEnd());
  }

  /** When all work that is queued so far is done. */
  private long lastEnd() {
    return maxEnd;
  }

  private long busyNanos() {
    long[] roundBegins = new long[timeline.workCount()];
    long[] roundEnds = new long[timeline.workCount()];
    int works = 0;
    for (int event = 0; event < events.count(); event++) {
      if (events.type(event) == HostEvents.CALL) {
        for (int work = timeline.firstWorkOf(events.subject(event));
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
    for (int event = 0; event < events.count(); event++) {
      if (events.type(event) == HostEvents.BOUNDARY) {
        at = events.subject(event);
      } else if (events.type(event) == HostEvents.CALL && at == step) {
        for (int work = timeline.firstWorkOf(events.subject(event));
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
    long start = round == 0 ? steps.hostNanos(0) : newEnds[events.count() - 1];
    newBegins[0] = start;
    newEnds[0] = start;
    boundaries[0] = Math.max(start, lastEnd());
    for (int event = 1; event < events.count(); event++) {
      int earlier = events.before(event);
      long own = events.begin(event) - events.end(earlier);
      newBegins[event] = newEnds[earlier] + spent(event, own);
      if (calls != null) {
        if (calls.waitsBefore(event)) {
          newBegins[event] = Math.max(newBegins[event], lastEnd());
        }
        newBegins[event] += scaled(calls.nanosBefore(event));
      }
      newEnds[event] = newBegins[event];
      switch (events.type(event)) {
        case HostEvents.LOAD -> load(event);
        case HostEvents.CALL -> call(event, events.subject(event));
        case HostEvents.COLLECTION -> {
          if (!change.has(Change.Part.NO_GC)) {
            newEnds[event] += scaled(events.end(event) - events.begin(event));
          }
        }
        default -> {
          if (change.has(Change.Part.ITEM)) {
            newEnds[event] = Math.max(newEnds[event], lastEnd()) + READ_NANOS;
          }
          boundaries[events.subject(event)] = Math.max(newEnds[event], lastEnd());
        }
      }
    }
  }

  /** The host's own time before an event. */
  private long spent(int event, long recorded) {
    if (isGraphed
        && events.type(event) != HostEvents.LOAD
        && (recorded < CODE_NANOS || events.profilerNanos(event) > 0)) {
      return 0;
    }
    if (isProfiled) {
      return scaled(recorded);
    }
    return scaled(recorded - Math.min(recorded / 5 * 4, events.profilerNanos(event)));
  }

  private long scaled(long nanos) {
    return change.hostSpeed() == 1 ? nanos : Math.round(nanos / change.hostSpeed());
  }

  private void load(int event) {
    long recorded = events.end(event) - events.begin(event);
    if (loader != null) {
      newEnds[event] = loader.take(newBegins[event]) + TAKE_NANOS;
    } else if (services.length > 0) {
      newEnds[event] += services[loads++ % services.length];
    } else if (timeline.isLoadedHere(events.subject(event))
        || !events.areWorkersSlow()
        || recorded < HostEvents.WAITING_NANOS) {
      newEnds[event] +=
          batches != null && timeline.isLoadedHere(events.subject(event))
              ? Math.round(recorded * batches.ofLoad(change.batch()))
              : recorded;
    } else {
      // Workers go on at their own pace, whatever the program does meanwhile.
      newEnds[event] =
          Math.max(newBegins[event] + TAKE_NANOS, events.end(event) + round * roundNanos);
    }
  }

  private void call(int event, int call) {
    CallKind kind = timeline.callKind(call);
    Cause cause = waits.cause(call);
    long recorded = events.end(event) - events.begin(event);
    boolean isLeftOut =
        kind != CallKind.LAUNCH
            && (change.leavesOut(cause) || calls != null && isOfAllocator(call, kind, cause));
    boolean queues = timeline.firstWorkOf(call) != NONE;
    long own =
        isProfiled
            ? recorded
            : Math.min(recorded, Math.max(1_000, recorded - events.profilerCallNanos()));
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
      newEnds[event] = Math.max(newEnds[event], end + (events.end(event) - recordedEnd));
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
    long start = newBegins[event] + order.latencyNanos(work);
    if (last[stream] != NONE) {
      start = Math.max(start, workEnds[last[stream]] + order.followingNanos(work));
    }
    if (order.crossing(work) != NONE) {
      start = Math.max(start, workEnds[order.crossing(work)] + order.crossedNanos(work));
    }
    workBegins[work] = start + delay(work);
    workEnds[work] = workBegins[work] + nanos(work);
    place(work, timeline.nextWorkOfCall(work) == NONE);
  }

  private long delay(int work) {
    boolean isPinned =
        timeline.workKind(work) == WorkKind.FROM_PAGEABLE && change.has(Change.Part.PINNED);
    return isPinned || isGraphed ? 0 : order.delayNanos(work);
  }

  private long nanos(int work) {
    long recorded = timeline.workEnd(work) - timeline.workStart(work);
    if (batches != null) {
      recorded = Math.round(recorded * batches.ofWork(work, change.batch()));
    }
    long nanos = recorded;
    return switch (timeline.workKind(work)) {
      case COMPUTE -> change.gpuSpeed() == 1 ? nanos : Math.round(nanos / change.gpuSpeed());
      case FROM_PAGEABLE ->
          change.has(Change.Part.PINNED)
              ? Math.min(
                  nanos,
                  Math.round(profile.bytes(timeline.workRow(work)) / order.pinnedBytesPerNano())
                      + 1_000)
              : nanos;
      default -> nanos;
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

  /** The largest difference between one round and the recording. */
  long errorNanos() {
    runRound();
    long error = Math.abs(boundary() - steps.gpuNanos(steps.count()));
    for (int event = 0; event < events.count(); event++) {
      error = Math.max(error, Math.abs(newEnds[event] - events.end(event)));
    }
    return error;
  }
}
