package org.allocsim.web.standin.org.allocsim.reports.output;

import org.allocsim.web.Host;

/** Tells the page how far long work is. */
public final class ProgressMeter implements AutoCloseable {
  private static final long PAUSE_NANOS = 100_000_000;

  private final String task;
  private long lastNanos = System.nanoTime();

  private ProgressMeter(String task) {
    this.task = task;
  }

  /** Progress in bytes. */
  public static ProgressMeter ofBytes(String task) {
    return new ProgressMeter(task);
  }

  /** Progress in events. */
  public static ProgressMeter ofEvents(String task) {
    return new ProgressMeter(task);
  }

  /** Progress in things of a kind. */
  public static ProgressMeter of(String task, String things) {
    return new ProgressMeter(task);
  }

  /** Reports how much is done. */
  public void update(long done, long total) {
    if (total > 0 && System.nanoTime() - lastNanos >= PAUSE_NANOS) {
      lastNanos = System.nanoTime();
      Host.progress(task, (double) done / total);
    }
  }

  @Override
  public void close() {
    // The next task says its own name.
  }
}
