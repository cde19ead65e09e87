package org.allocsim.simulator.policy.stalloc;

import java.util.Arrays;
import org.allocsim.simulator.policy.offline.Placement;
import org.allocsim.simulator.policy.offline.PlanBudget;

/** Buffers with their sizes and half-open lifetimes, as columns; a buffer is a row number. */
final class Lifetimes {
  /** End of a buffer that lives on. */
  static final int FOREVER = Integer.MAX_VALUE;

  private int count;
  private int times = 1;
  private int[] start = new int[256];
  private int[] end = new int[256];
  private long[] bytes = new long[256];

  /** Adds a buffer that lives on; answers its row. */
  int add(int startTime, long bufferBytes) {
    if (count == start.length) {
      start = Arrays.copyOf(start, count * 2);
      end = Arrays.copyOf(end, count * 2);
      bytes = Arrays.copyOf(bytes, count * 2);
    }
    start[count] = startTime;
    end[count] = FOREVER;
    bytes[count] = bufferBytes;
    times = Math.max(times, startTime + 1);
    return count++;
  }

  void setStart(int buffer, int time) {
    start[buffer] = time;
  }

  void setEnd(int buffer, int time) {
    end[buffer] = time;
    times = Math.max(times, time);
  }

  int count() {
    return count;
  }

  int start(int buffer) {
    return start[buffer];
  }

  /** End, {@link #FOREVER} cut to the last time. */
  int end(int buffer) {
    return Math.min(end[buffer], times);
  }

  boolean isForever(int buffer) {
    return end[buffer] == FOREVER;
  }

  long bytes(int buffer) {
    return bytes[buffer];
  }

  /** A placement of these buffers, none of them placed yet. */
  Placement placement(PlanBudget budget) {
    int[] ends = new int[count];
    Arrays.setAll(ends, this::end);
    return new Placement(
        Arrays.copyOf(start, count), ends, Arrays.copyOf(bytes, count), times, budget);
  }

  /** Most bytes that are live at one time. */
  long maxLiveBytes() {
    long[] change = new long[times + 1];
    for (int buffer = 0; buffer < count; buffer++) {
      change[start[buffer]] += bytes[buffer];
      change[end(buffer)] -= bytes[buffer];
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
