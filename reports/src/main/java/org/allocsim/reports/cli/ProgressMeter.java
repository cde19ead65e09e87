package org.allocsim.reports.cli;

import java.time.Duration;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Shows on a terminal how far long work is. Work shorter than half a second shows nothing, and so
 * does any work whose standard error is not a terminal.
 */
final class ProgressMeter implements AutoCloseable {
  private static final int WIDTH = 80;
  private static final long PATIENCE_NANOS = Duration.ofMillis(500).toNanos();

  private final boolean visible;
  private final String task;
  private final String unit;
  private final long unitSize;
  private final long startNanos = System.nanoTime();
  private ProgressBar bar;

  private ProgressMeter(boolean visible, String task, String unit, long unitSize) {
    this.visible = visible;
    this.task = task;
    this.unit = unit;
    this.unitSize = unitSize;
  }

  /** Progress in bytes. */
  static ProgressMeter ofBytes(boolean visible, String task) {
    return new ProgressMeter(visible, task, " MiB", 1L << 20);
  }

  /** Progress in events. */
  static ProgressMeter ofEvents(boolean visible, String task) {
    return new ProgressMeter(visible, task, "k events", 1_000);
  }

  /** Whether somebody looks at standard error: the process has an interactive terminal. */
  static boolean terminal() {
    return System.console() != null && System.console().isTerminal();
  }

  /** Reports how much is done; a total that is not positive is unknown. */
  void update(long done, long total) {
    if (!visible) {
      return;
    }
    if (bar == null) {
      if (System.nanoTime() - startNanos < PATIENCE_NANOS) {
        return;
      }
      bar = start();
    }
    bar.maxHint(total > 0 ? total : -1);
    bar.stepTo(done);
  }

  private ProgressBar start() {
    return new ProgressBarBuilder()
        .setTaskName(task)
        .setUnit(unit, unitSize)
        .setStyle(ProgressBarStyle.ASCII)
        .setUpdateIntervalMillis(100)
        .clearDisplayOnFinish()
        .setConsumer(new ConsoleProgressBarConsumer(System.err, WIDTH))
        .build();
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
