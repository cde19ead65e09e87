package org.allocsim.reports.cli;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Keeps what became of every attempt of every task of this process; Spark makes it. */
public final class TaskLog extends SparkListener {
  private static final Queue<Attempt> ATTEMPTS = new ConcurrentLinkedQueue<>();

  /**
   * An attempt.
   *
   * @param task number of the task
   * @param executor where it ran
   * @param isSuccess whether it came to its end
   */
  record Attempt(int task, String executor, boolean isSuccess) {}

  /** A listener. */
  public TaskLog() {}

  static void clear() {
    ATTEMPTS.clear();
  }

  static List<Attempt> attempts() {
    return List.copyOf(ATTEMPTS);
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    ATTEMPTS.add(
        new Attempt(
            end.taskInfo().index(), end.taskInfo().executorId(), end.taskInfo().successful()));
  }
}
