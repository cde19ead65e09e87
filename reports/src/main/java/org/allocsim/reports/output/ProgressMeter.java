package org.allocsim.reports.output;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * Shows on a terminal how far long work is. Work shorter than half a second shows nothing, and so
 * does any work whose standard error is not a terminal that can move its cursor. Of work that goes
 * on side by side, one is shown at a time.
 */
public final class ProgressMeter implements AutoCloseable {
  private static final long PATIENCE_NANOS = Duration.ofMillis(500).toNanos();
  private static final int COLUMNS = 80;
  private static final String MEBIBYTES = " MiB";

  /** A total of fewer units is counted in smaller ones. */
  private static final int FEWEST_UNITS = 10;

  /** The meter that a terminal shows: there is one line for it. */
  private static final AtomicReference<ProgressMeter> SHOWN = new AtomicReference<>();

  private final String task;
  private final String unit;
  private final long unitSize;
  private final long startNanos = System.nanoTime();
  private boolean decided;
  private @Nullable ProgressBar bar;

  private ProgressMeter(String task, String unit, long unitSize) {
    this.task = task;
    this.unit = unit;
    this.unitSize = unitSize;
  }

  public static ProgressMeter ofBytes(String task) {
    return new ProgressMeter(task, MEBIBYTES, 1L << 20);
  }

  public static ProgressMeter ofEvents(String task) {
    return new ProgressMeter(task, "k events", 1_000);
  }

  /** Progress in things of a kind, named in the plural. */
  public static ProgressMeter of(String task, String things) {
    return new ProgressMeter(task, " " + things, 1);
  }

  /** Reports how much is done; the total stays the same, and is unknown unless positive. */
  public void update(long done, long total) {
    if (!decided
        && System.nanoTime() - startNanos >= PATIENCE_NANOS
        && SHOWN.compareAndSet(null, this)) {
      decided = true;
      bar = Terminals.isErrorTerminal() ? start(done, total) : null;
    }
    if (bar != null) {
      bar.stepTo(done);
    }
  }

  /** Units so small that a short total is not 0 of them. */
  record Scale(String unit, long size) {
    static Scale of(String unit, long size, long total) {
      if (total <= 0 || total >= FEWEST_UNITS * size || size == 1) {
        return new Scale(unit, size);
      }
      return unit.equals(MEBIBYTES)
          ? new Scale(" KiB", 1L << 10)
          : new Scale(unit.replaceFirst("^k", ""), 1);
    }
  }

  private ProgressBar start(long done, long total) {
    Scale scale = Scale.of(unit, unitSize, total);
    return new ProgressBarBuilder()
        .setInitialMax(total > 0 ? total : -1)
        .startsFrom(done, Duration.ofNanos(System.nanoTime() - startNanos))
        .setTaskName(task)
        .setUnit(scale.unit(), scale.size())
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
    SHOWN.compareAndSet(this, null);
  }
}
