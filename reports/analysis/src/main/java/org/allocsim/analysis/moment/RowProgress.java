package org.allocsim.analysis.moment;

import org.allocsim.simulator.run.RunObserver;
import org.allocsim.workloads.format.Progress;

/** Reports how far a run over so many rows is. */
public final class RowProgress implements RunObserver {
  /** How often it does, in rows. */
  private static final int STEP = 1 << 12;

  private final int rows;
  private final Progress progress;
  private int next;

  /**
   * For one run.
   *
   * @param progress hears of rows instead of bytes
   */
  public RowProgress(int rows, Progress progress) {
    this.rows = rows;
    this.progress = progress;
  }

  @Override
  public boolean before(int row) {
    progress.update(row, rows);
    next = row + STEP;
    return true;
  }

  @Override
  public int nextRow() {
    return next;
  }
}
