package org.allocsim.analysis.idle.timeline;

import java.util.Arrays;
import java.util.Set;
import org.allocsim.analysis.idle.profile.RowKind;
import org.allocsim.analysis.idle.profile.TimeProfile;

/**
 * What calls of the host wait for, and why they are made. Profiles have neither events nor the
 * streams of synchronisations, so the end of a call is compared with the ends of the work that was
 * queued before it.
 */
public final class Waits {
  public static final int NONE = -1;

  /** Clocks of GPU and host agree to a few microseconds. */
  public static final long SLACK_NANOS = 5_000;

  /** A launch that takes so long waits for a place in the queue. */
  private static final long BLOCKED_LAUNCH_NANOS = 100_000;

  /** Work that has to be queued for that. */
  private static final int BLOCKED_LAUNCH_WORK = 500;

  /** Streams that a synchronisation is compared with, and work of each. */
  private static final int MAX_STREAMS = 64;

  private static final int MAX_WORK = 2_048;

  /** Enclosing rows that are looked at. */
  private static final int MAX_DEPTH = 256;

  /** A synchronisation so long before a free belongs to it. */
  private static final long BEFORE_FREE_NANOS = 100_000;

  /** Freeing a segment takes longer: the driver waits for the device and unmaps memory. */
  private static final long FREE_NANOS = 10_000;

  /** Where a profile has no operators, a synchronisation so soon after a copy belongs to it. */
  private static final long AFTER_COPY_NANOS = 50_000;

  /** The allocator does nothing between freeing segments and getting another. */
  private static final long BEFORE_ALLOCATION_NANOS = 1_000_000;

  private static final Set<String> READS =
      Set.of("aten::item", "aten::_local_scalar_dense", "aten::is_nonzero", "aten::equal");

  private final Timeline timeline;
  private final TimeProfile profile;
  private final int[] workOfCall;
  private final boolean[] blocked;
  private final Cause[] causes;

  /** Profiles of Nsight Systems have operators only where the program emits them as ranges. */
  private final boolean hasOperators;

  private int maxQueued;

  public Waits(Timeline timeline) {
    this.timeline = timeline;
    profile = timeline.profile();
    int calls = timeline.callCount();
    workOfCall = new int[calls];
    Arrays.fill(workOfCall, NONE);
    blocked = new boolean[calls];
    causes = new Cause[calls];
    hasOperators = hasOperators();
    findWork();
    findCauses();
  }

  private boolean hasOperators() {
    for (int row = 0; row < profile.count(); row++) {
      if (profile.kind(row) == RowKind.OPERATOR) {
        return true;
      }
    }
    return false;
  }

  private void findWork() {
    int[] lastOfStream = new int[profile.laneCount()];
    int[] queuedOnStream = new int[profile.laneCount()];
    Arrays.fill(lastOfStream, NONE);
    int[] before = new int[timeline.workCount()];
    int[] streams = new int[profile.laneCount()];
    int streamCount = 0;
    int latest = NONE;
    int[] lastStreamOfThread = new int[profile.laneCount()];
    Arrays.fill(lastStreamOfThread, NONE);
    // The first work of each stream that is not done when the host gets to a call.
    int[][] open = new int[profile.laneCount()][];
    int[] heads = new int[profile.laneCount()];
    for (int call = 0; call < timeline.callCount(); call++) {
      int thread = timeline.callThread(call);
      switch (timeline.callKind(call)) {
        case SYNC_DEVICE, FREE -> {
          waitFor(call, latest);
        }
        case SYNC_STREAM, SYNC_EVENT -> {
          int found = NONE;
          for (int i = 0; i < Math.min(streamCount, MAX_STREAMS); i++) {
            int work = lastOfStream[streams[i]];
            if (timeline.callKind(call) == CallKind.SYNC_EVENT) {
              work = lastEndingBy(timeline.callEnd(call) + SLACK_NANOS, work, before);
            }
            if (work != NONE && isWithin(call, timeline.workEnd(work))) {
              found = later(found, work);
            }
          }
          int stream = lastStreamOfThread[thread];
          waitFor(call, found != NONE ? found : stream == NONE ? NONE : lastOfStream[stream]);
        }
        case COPY -> {
          int own = timeline.firstWorkOf(call);
          if (own != NONE
              && (isWithin(call, timeline.workEnd(own))
                  || timeline.workKind(own) == WorkKind.FROM_PAGEABLE
                      && timeline.workStart(own) < timeline.callEnd(call))) {
            workOfCall[call] = own;
            blocked[call] = true;
          }
        }
        default -> {}
      }
      for (int work = timeline.firstWorkOf(call);
          work != NONE;
          work = timeline.nextWorkOfCall(work)) {
        int stream = timeline.workStream(work);
        if (lastOfStream[stream] == NONE) {
          streams[streamCount++] = stream;
          open[stream] = new int[64];
        }
        before[work] = lastOfStream[stream];
        lastOfStream[stream] = work;
        latest = later(latest, work);
        lastStreamOfThread[thread] = stream;
        if (timeline.nextWorkOfCall(work) != NONE) {
          continue;
        }
        if (queuedOnStream[stream] == open[stream].length) {
          open[stream] = Arrays.copyOf(open[stream], queuedOnStream[stream] * 2);
        }
        open[stream][queuedOnStream[stream]++] = work;
        int head = heads[stream];
        while (timeline.workEnd(open[stream][head]) <= timeline.callStart(call)
            && head < queuedOnStream[stream] - 1) {
          head++;
        }
        heads[stream] = head;
        int queued = queuedOnStream[stream] - head;
        maxQueued = Math.max(maxQueued, queued);
        if (timeline.callKind(call) == CallKind.LAUNCH
            && profile.durationNanos(timeline.callRow(call)) > BLOCKED_LAUNCH_NANOS
            && queued > BLOCKED_LAUNCH_WORK) {
          blockOnQueue(call, open[stream], head, queuedOnStream[stream]);
        }
      }
    }
  }

  /** The last work that ends by a moment, of some work and what was queued before it. */
  private int lastEndingBy(long nanos, int work, int[] before) {
    int at = work;
    for (int looked = 0;
        looked < MAX_WORK && at != NONE && timeline.workEnd(at) > nanos;
        looked++) {
      at = before[at];
    }
    return at;
  }

  /** A launch that found the queue full goes on when the last work that ended before it did. */
  private void blockOnQueue(int call, int[] open, int head, int end) {
    int ended = NONE;
    for (int i = head;
        i < end && timeline.workEnd(open[i]) <= timeline.callEnd(call) + SLACK_NANOS;
        i++) {
      ended = open[i];
    }
    if (ended != NONE) {
      workOfCall[call] = ended;
      blocked[call] = true;
    }
  }

  private int later(int one, int other) {
    if (one == NONE || other == NONE) {
      return Math.max(one, other);
    }
    return timeline.workEnd(other) > timeline.workEnd(one) ? other : one;
  }

  private boolean isWithin(int call, long nanos) {
    return nanos > timeline.callStart(call) && nanos <= timeline.callEnd(call) + SLACK_NANOS;
  }

  private void waitFor(int call, int work) {
    // A call that returns before the work is done does not wait for it.
    if (work != NONE && timeline.workEnd(work) <= timeline.callEnd(call) + SLACK_NANOS) {
      workOfCall[call] = work;
      blocked[call] = isWithin(call, timeline.workEnd(work));
    }
  }

  private void findCauses() {
    Cause[] freeing = causesOfFrees();
    // What was freed for a cause has to be got again for it, in the steps before, too.
    Cause allocating = Cause.ALLOCATOR;
    for (int call = 0; call < timeline.callCount() && allocating == Cause.ALLOCATOR; call++) {
      if (timeline.callKind(call) == CallKind.FREE) {
        allocating = freeing[call];
      }
    }
    int[] lastCopy = new int[profile.laneCount()];
    Arrays.fill(lastCopy, NONE);
    for (int call = 0; call < timeline.callCount(); call++) {
      CallKind kind = timeline.callKind(call);
      int thread = timeline.callThread(call);
      switch (kind) {
        case FREE -> {
          causes[call] = freeing[call];
          allocating = causes[call] == Cause.ALLOCATOR ? allocating : causes[call];
        }
        case ALLOCATE -> causes[call] = isOnHost(call) ? Cause.ALLOCATOR : allocating;
        case COPY -> {
          causes[call] = causeOfCopy(call);
          lastCopy[thread] = call;
        }
        case SYNC_STREAM, SYNC_EVENT, SYNC_DEVICE ->
            causes[call] = causeOfSync(call, lastCopy[thread]);
        default -> causes[call] = Cause.LAUNCH;
      }
    }
    joinWithFrees();
  }

  /** When the program empties the allocator's cache: where each row of frees begins. */
  public long[] clearedNanos() {
    long[] found = new long[timeline.callCount()];
    int count = 0;
    long done = Long.MIN_VALUE;
    for (int call = 0; call < timeline.callCount(); call++) {
      if (timeline.callKind(call) == CallKind.FREE && causes[call] == Cause.EMPTY_CACHE) {
        if (timeline.callStart(call) - BEFORE_ALLOCATION_NANOS > done) {
          found[count++] = timeline.callStart(call);
        }
        done = timeline.callEnd(call);
      }
    }
    return Arrays.copyOf(found, count);
  }

  /** Whether a call gets or frees memory of the host. */
  public boolean isOnHost(int call) {
    return profile.name(timeline.callRow(call)).contains("Host");
  }

  /**
   * Why memory is freed, by call; the entries of other calls are not meaningful. A program that
   * empties the cache calls no operator for it, the allocator is inside of one. It frees segments
   * between a cudaMalloc that failed and another, or right before one. Libraries free nothing to
   * initialise the driver, which takes no time. In a profile without operators, what is freed is
   * for a request if one follows at once, else the program empties the cache.
   */
  private Cause[] causesOfFrees() {
    int calls = timeline.callCount();
    Cause[] freeing = new Cause[calls];
    boolean[] isAfterAllocation = new boolean[profile.laneCount()];
    boolean[] isRetry = new boolean[calls];
    for (int call = 0; call < calls; call++) {
      int thread = timeline.callThread(call);
      switch (timeline.callKind(call)) {
        case ALLOCATE -> isAfterAllocation[thread] = !isOnHost(call);
        case LAUNCH, COPY, FILL -> isAfterAllocation[thread] = false;
        case FREE -> {
          isRetry[call] = isAfterAllocation[thread];
          if (isOnHost(call) || timeline.callEnd(call) - timeline.callStart(call) < FREE_NANOS) {
            freeing[call] = Cause.ALLOCATOR;
          } else if (!isInOperator(timeline.callRow(call))) {
            freeing[call] = Cause.EMPTY_CACHE;
          } else {
            freeing[call] = isAfterAllocation[thread] ? Cause.RETRY : Cause.RECLAIM;
          }
        }
        default -> {}
      }
    }
    long[] allocationNanos = new long[profile.laneCount()];
    Arrays.fill(allocationNanos, Long.MAX_VALUE);
    for (int call = calls - 1; call >= 0; call--) {
      int thread = timeline.callThread(call);
      switch (timeline.callKind(call)) {
        case ALLOCATE ->
            allocationNanos[thread] = isOnHost(call) ? Long.MAX_VALUE : timeline.callStart(call);
        case LAUNCH, COPY, FILL -> allocationNanos[thread] = Long.MAX_VALUE;
        case FREE -> {
          boolean isBeforeAllocation =
              allocationNanos[thread] - BEFORE_ALLOCATION_NANOS <= timeline.callEnd(call);
          if (!isBeforeAllocation
              && (freeing[call] == Cause.RETRY || freeing[call] == Cause.RECLAIM)) {
            freeing[call] = Cause.ALLOCATOR;
          } else if (isBeforeAllocation && freeing[call] != Cause.ALLOCATOR) {
            if (!hasOperators) {
              freeing[call] = isRetry[call] ? Cause.RETRY : Cause.RECLAIM;
            }
            // The frees of one burst follow each other.
            allocationNanos[thread] = timeline.callStart(call);
          }
        }
        default -> {}
      }
    }
    return freeing;
  }

  private boolean isInOperator(int row) {
    int at = timeline.parent(row);
    for (int depth = 0; at != NONE && depth < MAX_DEPTH; depth++) {
      if (profile.kind(at) == RowKind.OPERATOR) {
        return true;
      }
      at = timeline.parent(at);
    }
    return false;
  }

  private Cause causeOfCopy(int call) {
    int work = timeline.firstWorkOf(call);
    if (work == NONE) {
      return Cause.LAUNCH;
    }
    return switch (timeline.workKind(work)) {
      case FROM_PAGEABLE -> Cause.PAGEABLE_COPY;
      case FROM_PINNED -> Cause.BLOCKING_COPY;
      case TO_HOST -> Cause.HOST_READ;
      default -> Cause.LAUNCH;
    };
  }

  private Cause causeOfSync(int call, int copy) {
    int row = timeline.callRow(call);
    if (copy != NONE
        && timeline.parent(timeline.callRow(copy)) == timeline.parent(row)
        && timeline.parent(row) != NONE
        && profile.kind(timeline.parent(row)) == RowKind.OPERATOR
        && causes[copy] != Cause.LAUNCH) {
      return causes[copy];
    }
    if (!hasOperators
        && copy != NONE
        && causes[copy] != Cause.LAUNCH
        && timeline.callStart(call) - timeline.callEnd(copy) < AFTER_COPY_NANOS) {
      return causes[copy];
    }
    int at = timeline.parent(row);
    boolean isInOperator = false;
    for (int depth = 0; at != NONE && depth < MAX_DEPTH; depth++) {
      if (profile.kind(at) == RowKind.OPERATOR) {
        String name = profile.name(at);
        if (READS.contains(name)) {
          return Cause.HOST_READ;
        }
        if (name.startsWith("c10d::") || name.startsWith("nccl:")) {
          return Cause.COLLECTIVE;
        }
        isInOperator = true;
      }
      at = timeline.parent(at);
    }
    return isInOperator ? Cause.HOST_READ : Cause.SYNCHRONIZE;
  }

  /** A synchronisation right before a free on the same thread is part of giving memory back. */
  private void joinWithFrees() {
    int[] nextOfThread = new int[profile.laneCount()];
    Arrays.fill(nextOfThread, NONE);
    for (int call = timeline.callCount() - 1; call >= 0; call--) {
      int thread = timeline.callThread(call);
      int next = nextOfThread[thread];
      if (next != NONE
          && timeline.callKind(next) == CallKind.FREE
          && causes[call] == Cause.SYNCHRONIZE
          && timeline.callStart(next) - timeline.callEnd(call) < BEFORE_FREE_NANOS) {
        causes[call] = causes[next];
      }
      nextOfThread[thread] = call;
    }
  }

  /** The work whose end a call waits for, or would wait for; {@link #NONE} where there is none. */
  public int workOf(int call) {
    return workOfCall[call];
  }

  /** Whether the call had to wait. */
  public boolean isBlocked(int call) {
    return blocked[call];
  }

  /** When calls of the host wait for the GPU. */
  public Intervals blocked() {
    Intervals waiting = new Intervals();
    for (int call = 0; call < timeline.callCount(); call++) {
      if (blocked[call]) {
        waiting.add(timeline.callStart(call), timeline.callEnd(call));
      }
    }
    return waiting;
  }

  /** Why the call is made. */
  public Cause cause(int call) {
    return causes[call];
  }

  /** Most calls whose work was queued on a stream at a time. */
  public int maxQueued() {
    return maxQueued;
  }
}
