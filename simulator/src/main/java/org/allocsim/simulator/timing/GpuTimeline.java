package org.allocsim.simulator.timing;

import java.util.Arrays;

/**
 * The GPU as the host sees it: streams with queued work, engines that do it, events that order it.
 * It is brought forward on demand, to the host's time or to the end of what the host waits for; the
 * host queues nothing while it waits, so work never arrives in the past.
 *
 * <p>Everything is a column of numbers. A mark is one recording of an event: it has a moment once
 * all that was queued before it on its stream is done.
 */
final class GpuTimeline {
  /** Engine that computes. */
  static final int COMPUTE = 0;

  /** Engine that copies to the device. */
  static final int TO_DEVICE = 1;

  /** Engine that copies to the host. */
  static final int TO_HOST = 2;

  /** The links to other GPUs. */
  static final int LINKS = 3;

  /** Hears of marks that have passed, in the order of their moments. */
  @FunctionalInterface
  interface MarkListener {
    /** The mark with this tag passed. */
    void passed(int tag, long nanos);
  }

  private static final int ENGINES = 4;
  private static final byte RECORD = ENGINES;
  private static final byte WAIT = ENGINES + 1;
  private static final int NONE = -1;

  /** Tag of the recordings of GPU events, which are reported to nobody. */
  private static final int NO_TAG = -1;

  private static final long PENDING = -1;

  private final MarkListener listener;
  private final EventQueue future = new EventQueue();
  private long nowNanos;

  // Streams.
  private final int[] head;
  private final int[] tail;
  private final int[] queued;
  private final long[] endNanos;
  private final int[] nextWaiter;
  private int queuedOnAll;

  // Queued work.
  private byte[] kind = new byte[64];
  private int[] mark = new int[64];
  private long[] nanos = new long[64];
  private long[] arrivalNanos = new long[64];
  private long[] order = new long[64];
  private int[] next = new int[64];
  private int firstUnused = NONE;
  private int rows;
  private long added;

  // Marks.
  private long[] momentNanos = new long[64];
  private int[] firstWaiter = new int[64];
  private int[] references = new int[64];
  private int[] tags = new int[64];
  private int firstUnusedMark = NONE;
  private int marks;
  private int taggedPending;

  /** The mark that a GPU event stands for now. */
  private final int[] markOfEvent;

  // Engines.
  private final EventQueue[] ready = new EventQueue[ENGINES];
  private final BusyTimeline[] busy = new BusyTimeline[ENGINES];
  private final int[] runningStream = new int[ENGINES];
  private final long[] runningSinceNanos = new long[ENGINES];

  GpuTimeline(int streams, int gpuEvents, MarkListener listener) {
    this.listener = listener;
    head = filled(streams);
    tail = filled(streams);
    nextWaiter = filled(streams);
    queued = new int[streams];
    endNanos = new long[streams];
    markOfEvent = filled(gpuEvents);
    for (int engine = 0; engine < ENGINES; engine++) {
      ready[engine] = new EventQueue();
      busy[engine] = new BusyTimeline();
      runningStream[engine] = NONE;
    }
  }

  private static int[] filled(int length) {
    int[] column = new int[length];
    Arrays.fill(column, NONE);
    return column;
  }

  /** Queues work for an engine that takes so long there. */
  void work(int stream, int engine, long workNanos, long hostNanos) {
    append(stream, (byte) engine, NONE, workNanos, hostNanos);
  }

  /** Queues a recording of a GPU event. */
  void record(int stream, int gpuEvent, long hostNanos) {
    int made = newMark(NO_TAG);
    references[made]++;
    release(markOfEvent[gpuEvent]);
    markOfEvent[gpuEvent] = made;
    append(stream, RECORD, made, 0, hostNanos);
  }

  /**
   * Queues a mark whose passing is reported to the listener.
   *
   * @param tag not −1; {@link #finishTagged} waits for those that are not negative
   */
  void mark(int stream, int tag, long hostNanos) {
    taggedPending += tag >= 0 ? 1 : 0;
    append(stream, RECORD, newMark(tag), 0, hostNanos);
  }

  /** Lets the stream wait for the last recording of a GPU event, if there was one. */
  void await(int stream, int gpuEvent, long hostNanos) {
    int awaited = markOfEvent[gpuEvent];
    if (awaited != NONE) {
      references[awaited]++;
      append(stream, WAIT, awaited, 0, hostNanos);
    }
  }

  /** Lets happen what happens up to and including a moment. */
  void advanceTo(long untilNanos) {
    while (!future.isEmpty() && future.nextNanos() <= untilNanos) {
      step();
    }
  }

  /** When all that is queued on a stream is done. */
  long finish(int stream) {
    while (queued[stream] > 0) {
      step();
    }
    return endNanos[stream];
  }

  /** When all that is queued on all streams is done. */
  long finishAll() {
    while (queuedOnAll > 0) {
      step();
    }
    long last = 0;
    for (long end : endNanos) {
      last = Math.max(last, end);
    }
    return last;
  }

  /** When the last recording of a GPU event passed; 0 where there was none. */
  long finishEvent(int gpuEvent) {
    int awaited = markOfEvent[gpuEvent];
    if (awaited == NONE) {
      return 0;
    }
    while (momentNanos[awaited] == PENDING) {
      step();
    }
    return momentNanos[awaited];
  }

  /** When every mark with a tag that is not negative has passed; 0 where none is to come. */
  long finishTagged() {
    long last = 0;
    while (taggedPending > 0) {
      step();
      last = nowNanos;
    }
    return last;
  }

  /** When fewer than this many pieces are queued on a stream; 0 where that is so already. */
  long finishDownTo(int stream, int most) {
    long last = 0;
    while (queued[stream] >= most) {
      step();
      last = nowNanos;
    }
    return last;
  }

  /** Pieces queued on a stream. */
  int queued(int stream) {
    return queued[stream];
  }

  /** The same of all streams together. */
  int queuedOnAll() {
    return queuedOnAll;
  }

  /** How an engine was busy. */
  BusyTimeline busy(int engine) {
    return busy[engine];
  }

  /** Time that an engine was busy up to a moment that has been reached and not passed by far. */
  long busyNanos(int engine, long atNanos) {
    long sum = busy[engine].totalNanos();
    return runningStream[engine] == NONE
        ? sum
        : sum + Math.max(0, atNanos - runningSinceNanos[engine]);
  }

  private void append(int stream, byte newKind, int itsMark, long workNanos, long hostNanos) {
    int row = newRow();
    kind[row] = newKind;
    mark[row] = itsMark;
    nanos[row] = workNanos;
    arrivalNanos[row] = hostNanos;
    order[row] = added++;
    next[row] = NONE;
    queuedOnAll++;
    if (queued[stream]++ == 0) {
      head[stream] = row;
      future.add(Math.max(hostNanos, nowNanos), stream);
    } else {
      next[tail[stream]] = row;
    }
    tail[stream] = row;
  }

  private int newRow() {
    if (firstUnused != NONE) {
      int row = firstUnused;
      firstUnused = next[row];
      return row;
    }
    if (rows == kind.length) {
      int capacity = rows * 2;
      kind = Arrays.copyOf(kind, capacity);
      mark = Arrays.copyOf(mark, capacity);
      nanos = Arrays.copyOf(nanos, capacity);
      arrivalNanos = Arrays.copyOf(arrivalNanos, capacity);
      order = Arrays.copyOf(order, capacity);
      next = Arrays.copyOf(next, capacity);
    }
    return rows++;
  }

  private int newMark(int tag) {
    int made = firstUnusedMark;
    if (made == NONE) {
      if (marks == momentNanos.length) {
        int capacity = marks * 2;
        momentNanos = Arrays.copyOf(momentNanos, capacity);
        firstWaiter = Arrays.copyOf(firstWaiter, capacity);
        references = Arrays.copyOf(references, capacity);
        tags = Arrays.copyOf(tags, capacity);
      }
      made = marks++;
    } else {
      firstUnusedMark = firstWaiter[made];
    }
    momentNanos[made] = PENDING;
    firstWaiter[made] = NONE;
    references[made] = 1;
    tags[made] = tag;
    return made;
  }

  private void release(int released) {
    if (released != NONE && --references[released] == 0) {
      firstWaiter[released] = firstUnusedMark;
      firstUnusedMark = released;
    }
  }

  private void step() {
    nowNanos = Math.max(nowNanos, future.nextNanos());
    int subject = future.take();
    if (subject >= 0) {
      begin(subject);
    } else {
      end(-1 - subject);
    }
  }

  /** The first piece of a stream's queue is its turn. */
  private void begin(int stream) {
    int row = head[stream];
    switch (kind[row]) {
      case RECORD -> pass(stream, mark[row]);
      case WAIT -> {
        int awaited = mark[row];
        if (momentNanos[awaited] == PENDING) {
          nextWaiter[stream] = firstWaiter[awaited];
          firstWaiter[awaited] = stream;
        } else {
          release(awaited);
          leave(stream);
        }
      }
      default -> {
        int engine = kind[row];
        if (runningStream[engine] == NONE) {
          run(engine, stream);
        } else {
          ready[engine].add(nowNanos, order[row], stream);
        }
      }
    }
  }

  private void pass(int stream, int passed) {
    momentNanos[passed] = nowNanos;
    int waiter = firstWaiter[passed];
    firstWaiter[passed] = NONE;
    if (tags[passed] != NO_TAG) {
      taggedPending -= tags[passed] >= 0 ? 1 : 0;
      listener.passed(tags[passed], nowNanos);
    }
    release(passed);
    leave(stream);
    while (waiter != NONE) {
      int following = nextWaiter[waiter];
      nextWaiter[waiter] = NONE;
      release(passed);
      leave(waiter);
      waiter = following;
    }
  }

  private void run(int engine, int stream) {
    runningStream[engine] = stream;
    runningSinceNanos[engine] = nowNanos;
    future.add(nowNanos + nanos[head[stream]], -1 - engine);
  }

  private void end(int engine) {
    int stream = runningStream[engine];
    busy[engine].add(runningSinceNanos[engine], nowNanos);
    runningStream[engine] = NONE;
    if (!ready[engine].isEmpty()) {
      run(engine, ready[engine].take());
    }
    leave(stream);
  }

  /** The first piece of a stream's queue is done. */
  private void leave(int stream) {
    int row = head[stream];
    int following = next[row];
    next[row] = firstUnused;
    firstUnused = row;
    endNanos[stream] = nowNanos;
    queuedOnAll--;
    if (--queued[stream] > 0) {
      head[stream] = following;
      future.add(Math.max(nowNanos, arrivalNanos[following]), stream);
    }
  }
}
