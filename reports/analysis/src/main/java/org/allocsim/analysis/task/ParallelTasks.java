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
import java.util.function.Supplier;

/** Runs independent work on all cores. */
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
              T result = task.call();
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
    FutureTask<T> future = new FutureTask<>(task);
    Thread.ofPlatform().daemon().start(future);
    return () -> resultOf(future);
  }

  private static <T> T resultOf(Future<T> future) {
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
