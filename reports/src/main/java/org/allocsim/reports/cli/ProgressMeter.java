package org.allocsim.reports.cli;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
  private static final long PATIENCE_NANOS = Duration.ofMillis(500).toNanos();
  private static final int COLUMNS = 80;
  private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");

  private final String task;
  private final String unit;
  private final long unitSize;
  private final long startNanos = System.nanoTime();
  private boolean decided;
  private ProgressBar bar;

  private ProgressMeter(String task, String unit, long unitSize) {
    this.task = task;
    this.unit = unit;
    this.unitSize = unitSize;
  }

  /** Progress in bytes. */
  static ProgressMeter ofBytes(String task) {
    return new ProgressMeter(task, " MiB", 1L << 20);
  }

  /** Progress in events. */
  static ProgressMeter ofEvents(String task) {
    return new ProgressMeter(task, "k events", 1_000);
  }

  /** Progress in settings of an allocator. */
  static ProgressMeter ofSettings(String task) {
    return new ProgressMeter(task, " settings", 1);
  }

  /** Reports how much is done; the total stays the same, and is unknown unless positive. */
  void update(long done, long total) {
    if (!decided && System.nanoTime() - startNanos >= PATIENCE_NANOS) {
      decided = true;
      bar = isTerminal() ? start(done, total) : null;
    }
    if (bar != null) {
      bar.stepTo(done);
    }
  }

  /** Whether somebody looks at standard error. */
  @SuppressWarnings("SystemConsoleNull") // JDK 25 is back to null where there is no terminal.
  static boolean isTerminal() {
    Console console = System.console();
    if (console == null || !console.isTerminal()) {
      return false;
    }
    try {
      // The console speaks for standard input and output; Linux tells about standard error too.
      return !Files.isSymbolicLink(STANDARD_ERROR)
          || isTerminalName(Files.readSymbolicLink(STANDARD_ERROR).toString());
    } catch (IOException _) {
      return true;
    }
  }

  private static boolean isTerminalName(String name) {
    return name.startsWith("/dev/pts/")
        || name.startsWith("/dev/tty")
        || name.equals("/dev/console");
  }

  private ProgressBar start(long done, long total) {
    return new ProgressBarBuilder()
        .setInitialMax(total > 0 ? total : -1)
        .startsFrom(done, Duration.ofNanos(System.nanoTime() - startNanos))
        .setTaskName(task)
        .setUnit(unit, unitSize)
        .setStyle(ProgressBarStyle.ASCII)
        .setUpdateIntervalMillis(100)
        .clearDisplayOnFinish()
        .setConsumer(new ConsoleProgressBarConsumer(System.err, COLUMNS))
        .build();
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
