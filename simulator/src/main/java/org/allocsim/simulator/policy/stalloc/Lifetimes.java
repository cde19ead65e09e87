package org.allocsim.simulator.policy.stalloc;

import java.util.Arrays;
import org.allocsim.simulator.column.IntColumn;
import org.allocsim.simulator.column.LongColumn;
import org.allocsim.simulator.policy.offline.Placement;
import org.allocsim.simulator.policy.offline.PlanBudget;

/** Buffers with their sizes and half-open lifetimes, as columns; a buffer is a row number. */
final class Lifetimes {
  /** End of a buffer that lives on. */
  static final int FOREVER = Integer.MAX_VALUE;

  private int times = 1;
  private final IntColumn start = new IntColumn();
  private final IntColumn end = new IntColumn();
  private final LongColumn bytes = new LongColumn();

  /** Adds a buffer that lives on; answers its row. */
  int add(int startTime, long bufferBytes) {
    start.add(startTime);
    end.add(FOREVER);
    bytes.add(bufferBytes);
    times = Math.max(times, startTime + 1);
    return count() - 1;
  }

  void setStart(int buffer, int time) {
    start.set(buffer, time);
  }

  void setEnd(int buffer, int time) {
    end.set(buffer, time);
    times = Math.max(times, time);
  }

  int count() {
    return start.count();
  }

  int start(int buffer) {
    return start.get(buffer);
  }

  /** End, {@link #FOREVER} cut to the last time. */
  int end(int buffer) {
    return Math.min(end.get(buffer), times);
  }

  boolean isForever(int buffer) {
    return end.get(buffer) == FOREVER;
  }

  long bytes(int buffer) {
    return bytes.get(buffer);
  }

  /** A placement of these buffers, none of them placed yet. */
  Placement placement(PlanBudget budget) {
    int[] ends = new int[count()];
    Arrays.setAll(ends, this::end);
    return new Placement(start.toArray(), ends, bytes.toArray(), times, budget);
  }

  /** Most bytes that are live at one time. */
  long maxLiveBytes() {
    long[] change = new long[times + 1];
    for (int buffer = 0; buffer < count(); buffer++) {
      change[start(buffer)] += bytes(buffer);
      change[end(buffer)] -= bytes(buffer);
    }
    long live = 0;
    long most = 0;
    for (long delta : change) {
      live += delta;
      most = Math.max(most, live);
    }
    return most;
  }
}
