package org.allocsim.analysis.task;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Runs independent work on all cores. No more tasks are under way than there are cores, those first
 * that were asked for first: what others wait for is over soonest, and the compiler, which needs a
 * core as well, gets enough of one to have fast code ready early.
 */
public final class ParallelTasks {
  /** Hears how many tasks are done; called by one thread at a time. */
  @FunctionalInterface
  public interface Progress {
    /** So many tasks of the total are done. */
    void done(int tasks, int total);
  }

  private ParallelTasks() {}

  /** The results of all tasks, in the order of the tasks. */
  public static <T> List<T> run(List<? extends Callable<T>> tasks, Progress progress) {
    return run(tasks, Integer.MAX_VALUE, progress);
  }

  /** As above, with at most so many tasks at a time. */
  public static <T> List<T> run(List<? extends Callable<T>> tasks, int limit, Progress progress) {
    int cores = Math.min(limit, Runtime.getRuntime().availableProcessors());
    int threads = Math.clamp(cores, 1, tasks.size() + 1);
    Counter counter = new Counter(tasks.size(), progress);
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<T>> futures = new ArrayList<>();
      for (Callable<T> task : tasks) {
        futures.add(
            executor.submit(() -> {
              T result = Cores.run(task);
              counter.increase();
              return result;
            }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(resultOf(future));
      }
      return results;
    } finally {
      executor.shutdownNow();
    }
  }

  /** Starts a task beside what the caller goes on to do, who gets its result from the supplier. */
  public static <T> Supplier<T> beside(Callable<T> task) {
    FutureTask<T> future = new FutureTask<>(() -> Cores.run(task));
    Thread.ofPlatform().daemon().start(future);
    return () -> resultOf(future);
  }

  private static <T> T resultOf(Future<T> future) {
    if (!future.isDone()) {
      // A task that waits lets another begin. It goes on without asking again: what waits for it
      // could have the core that it would ask for.
      Cores.leave();
    }
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      switch (Objects.requireNonNull(e.getCause())) {
        case Error error -> throw error;
        case RuntimeException failure -> throw failure;
        default -> throw new IllegalStateException(e.getCause());
      }
    }
  }

  /** Which tasks are under way. A class of its own, as there are no threads in a browser. */
  private static final class Cores {
    /** A permit for each core, in the order in which tasks ask. */
    private static final Semaphore FREE =
        new Semaphore(Runtime.getRuntime().availableProcessors(), true);

    /** Whether the task of this thread has a core. */
    private static final ThreadLocal<Boolean> HAS_ONE = ThreadLocal.withInitial(() -> false);

    private Cores() {}

    static <T> T run(Callable<T> task) throws Exception {
      FREE.acquireUninterruptibly();
      HAS_ONE.set(true);
      try {
        return task.call();
      } finally {
        leave();
      }
    }

    static void leave() {
      if (HAS_ONE.get()) {
        HAS_ONE.set(false);
        FREE.release();
      }
    }
  }

  private static final class Counter {
    private final int total;
    private final Progress progress;
    private int done;

    Counter(int total, Progress progress) {
      this.total = total;
      this.progress = progress;
    }

    synchronized void increase() {
      progress.done(++done, total);
    }
  }
}
