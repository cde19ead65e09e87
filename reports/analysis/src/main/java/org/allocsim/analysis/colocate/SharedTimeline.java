package org.allocsim.analysis.colocate;

import org.allocsim.simulator.column.IntColumn;
import org.allocsim.simulator.column.LongColumn;
import org.allocsim.simulator.run.SharedObserver;

/** What each process held of a GPU over time: every change, thinned out only when it is drawn. */
public final class SharedTimeline implements SharedObserver {
  private final int processes;
  private final LongColumn nanos = new LongColumn();
  private final IntColumn process = new IntColumn();
  private final LongColumn bytes = new LongColumn();

  /** For a run of so many processes, of which it has seen nothing yet. */
  public SharedTimeline(int processes) {
    this.processes = processes;
  }

  @Override
  public void changed(long changeNanos, int tenant, long heldBytes) {
    nanos.add(changeNanos);
    process.add(tenant);
    bytes.add(heldBytes);
  }

  /**
   * What the processes held in each of some stretches of equal length, at the moment when they held
   * the most together: so that no peak is lost, and what is drawn on top of each other was there at
   * the same time.
   *
   * @param endNanos where the last stretch ends
   * @return by stretch and process: bytes, contexts included
   */
  public long[][] stretches(int stretches, long endNanos) {
    long[][] most = new long[stretches][];
    long[] held = new long[processes];
    long sum = 0;
    long maxSum = 0;
    int stretch = 0;
    most[0] = held.clone();
    for (int i = 0; i < nanos.count(); i++) {
      int of = (int) Math.min(stretches - 1, (double) nanos.get(i) / (endNanos + 1) * stretches);
      while (stretch < of) {
        most[++stretch] = held.clone();
        maxSum = sum;
      }
      int changed = process.get(i);
      sum += bytes.get(i) - held[changed];
      held[changed] = bytes.get(i);
      if (sum > maxSum) {
        maxSum = sum;
        most[stretch] = held.clone();
      }
    }
    while (stretch < stretches - 1) {
      most[++stretch] = held.clone();
    }
    return most;
  }
}
