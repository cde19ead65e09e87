package org.allocsim.analysis.colocate;

import java.util.Arrays;
import org.allocsim.simulator.run.SharedObserver;

/** What each process held of a GPU over time: every change, thinned out only when it is drawn. */
public final class SharedTimeline implements SharedObserver {
  private final int processes;
  private long[] nanos = new long[1024];
  private int[] process = new int[1024];
  private long[] bytes = new long[1024];
  private int count;

  /** For a run of so many processes, of which it has seen nothing yet. */
  public SharedTimeline(int processes) {
    this.processes = processes;
  }

  @Override
  public void changed(long changeNanos, int tenant, long heldBytes) {
    if (count == nanos.length) {
      nanos = Arrays.copyOf(nanos, 2 * count);
      process = Arrays.copyOf(process, 2 * count);
      bytes = Arrays.copyOf(bytes, 2 * count);
    }
    nanos[count] = changeNanos;
    process[count] = tenant;
    bytes[count] = heldBytes;
    count++;
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
    for (int i = 0; i < count; i++) {
      int of = (int) Math.min(stretches - 1, (double) nanos[i] / (endNanos + 1) * stretches);
      while (stretch < of) {
        most[++stretch] = held.clone();
        maxSum = sum;
      }
      sum += bytes[i] - held[process[i]];
      held[process[i]] = bytes[i];
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
