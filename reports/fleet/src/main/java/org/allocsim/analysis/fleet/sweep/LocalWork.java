package org.allocsim.analysis.fleet.sweep;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.allocsim.analysis.task.HeapRoom;
import org.allocsim.workloads.io.EarlyEnd;
import org.jspecify.annotations.Nullable;

/**
 * What is left to do of a sweep on this machine. A thread takes a run of a trace that is open; only
 * where there is none it opens the next one, the largest first. So no more traces are open than
 * there are threads, one large trace keeps all cores busy, and the end is not waited for by cores
 * that have nothing to do. Further traces wait, too, while those that are open may fill the Java
 * heap.
 */
final class LocalWork {
  private final SweepJob job;
  private final SweepGrid grid;
  private final SweepListener listener;
  private final int fileCount;
  private final long usualRuns;
  private final Deque<FleetFile> files = new ArrayDeque<>();

  /** Traces that did not fit the heap beside others, and are tried again alone. */
  private final Deque<FleetFile> large = new ArrayDeque<>();

  private final Map<FleetFile, Open> open = new LinkedHashMap<>();
  private int opening;
  private long openBytes;

  /** All other traces are finished. */
  private boolean isLargeNext;

  private int finishedFiles;
  private long finishedRuns;
  private long reused;
  private boolean failed;

  /** A trace whose runs are made. */
  private static final class Open {
    private final TraceSweep sweep;
    private final boolean isAlone;
    private final Deque<Integer> left;
    private int running;
    private boolean isAbandoned;

    Open(TraceSweep sweep, boolean isAlone) {
      this.sweep = sweep;
      this.isAlone = isAlone;
      left = new ArrayDeque<>(sweep.pending());
    }
  }

  /** One step of the work. */
  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  LocalWork(SweepJob job, SweepGrid grid, List<FleetFile> inputs, SweepListener listener) {
    this.job = job;
    this.grid = grid;
    this.listener = listener;
    fileCount = inputs.size();
    usualRuns = grid.usualCellCount();
    inputs.stream().sorted(FleetFile.LARGEST_FIRST).forEach(files::add);
  }

  /** Runs that are there, those that earlier sweeps had made included. */
  synchronized long finishedRuns() {
    return finishedRuns;
  }

  /** Whether nothing is left to do. */
  synchronized boolean isDone() {
    return finishedFiles == fileCount;
  }

  /** Runs that earlier sweeps had made. */
  long reused() {
    return reused;
  }

  /**
   * Does it.
   *
   * @throws IOException where the results' storage fails
   */
  void runOn(int threads) throws IOException {
    listener.begins(fileCount, fileCount * usualRuns);
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> futures = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        futures.add(
            executor.submit(() -> {
              work();
              return null;
            }));
      }
      for (Future<?> future : futures) {
        future.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      switch (Objects.requireNonNull(e.getCause())) {
        case IOException storage -> throw storage;
        case Error error -> throw error;
        case RuntimeException failure -> throw failure;
        default -> throw new IllegalStateException(e.getCause());
      }
    } finally {
      executor.shutdownNow();
    }
  }

  private void work() throws IOException {
    boolean done = false;
    try {
      for (Step step = next(); step != null; step = next()) {
        step.run();
      }
      done = true;
    } finally {
      if (!done) {
        fail();
      }
    }
  }

  private synchronized void fail() {
    failed = true;
    notifyAll();
  }

  /** The next step; waits while only other threads can go on; null where nothing is left. */
  private synchronized @Nullable Step next() {
    while (!failed && !EarlyEnd.isAsked()) {
      for (Open trace : open.values()) {
        Integer number = trace.left.poll();
        if (number != null) {
          trace.running++;
          return () -> run(trace, number);
        }
      }
      FleetFile file = nextFile();
      if (file != null) {
        opening++;
        openBytes += heapBytes(file);
        boolean isAlone = isLargeNext;
        return () -> open(file, isAlone);
      }
      if (open.isEmpty() && opening == 0 && files.isEmpty() && large.isEmpty()) {
        return null;
      }
      try {
        wait();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return null;
      }
    }
    return null;
  }

  private @Nullable FleetFile nextFile() {
    boolean isIdle = open.isEmpty() && opening == 0;
    if (files.isEmpty()) {
      isLargeNext = true;
      return isIdle ? large.poll() : null;
    }
    boolean fits = HeapRoom.has(openBytes + heapBytes(files.peek()));
    return isIdle || fits ? files.poll() : null;
  }

  private static long heapBytes(FleetFile file) {
    return HeapRoom.bytesOf(file.name(), file.bytes());
  }

  private void open(FleetFile file, boolean isAlone) throws IOException {
    TraceSweep sweep;
    try {
      sweep = TraceSweep.open(job, grid, file);
    } catch (HeapTooSmallException _) {
      if (!isAlone) {
        tryAgainAlone(file);
        return;
      }
      sweep = TraceSweep.tooLarge(job, grid, file);
    }
    opened(file, new Open(sweep, isAlone));
  }

  private synchronized void tryAgainAlone(FleetFile file) {
    opening--;
    openBytes -= heapBytes(file);
    large.add(file);
    notifyAll();
  }

  private synchronized void opened(FleetFile file, Open trace) {
    opening--;
    reused += trace.sweep.reused();
    finishedRuns += trace.sweep.reused();
    if (trace.left.isEmpty()) {
      close(file);
    } else {
      open.put(file, trace);
    }
    notifyAll();
    listener.finished(finishedFiles, finishedRuns);
  }

  private void run(Open trace, int number) throws IOException {
    boolean isLast = false;
    boolean isDone = true;
    try {
      isLast = trace.sweep.run(number);
    } catch (HeapTooSmallException _) {
      if (trace.isAlone) {
        isLast = trace.sweep.leaveOut(number);
      } else {
        isDone = false;
      }
    }
    finished(trace, isDone, isLast);
  }

  private synchronized void finished(Open trace, boolean isDone, boolean isLast) {
    trace.running--;
    finishedRuns += isDone ? 1 : 0;
    if (!isDone) {
      trace.isAbandoned = true;
      trace.left.clear();
    }
    FleetFile file = trace.sweep.file();
    if (isLast) {
      open.remove(file);
      close(file);
    } else if (trace.isAbandoned && trace.running == 0) {
      open.remove(file);
      openBytes -= heapBytes(file);
      large.add(file);
    }
    notifyAll();
    listener.finished(finishedFiles, finishedRuns);
  }

  private void close(FleetFile file) {
    openBytes -= heapBytes(file);
    finishedFiles++;
  }
}
