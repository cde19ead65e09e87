package org.allocsim.simulator.timing;

import java.util.Arrays;

/**
 * What happened in each step, that is between the begin and the end of each outermost marker: a
 * table with a row a step, in order.
 */
public final class Steps {
  private int count;
  private int[] markers = new int[16];
  private long[] beginNanos = new long[16];
  private long[] endNanos = new long[16];
  private long[] allocatorNanos = new long[16];
  private long[] dataNanos = new long[16];
  private long[] computeNanos = new long[16];

  Steps() {}

  void begin(int marker, long nowNanos, long allocator, long data, long compute) {
    if (count == markers.length) {
      int capacity = count * 2;
      markers = Arrays.copyOf(markers, capacity);
      beginNanos = Arrays.copyOf(beginNanos, capacity);
      endNanos = Arrays.copyOf(endNanos, capacity);
      allocatorNanos = Arrays.copyOf(allocatorNanos, capacity);
      dataNanos = Arrays.copyOf(dataNanos, capacity);
      computeNanos = Arrays.copyOf(computeNanos, capacity);
    }
    markers[count] = marker;
    beginNanos[count] = nowNanos;
    allocatorNanos[count] = -allocator;
    dataNanos[count] = -data;
    computeNanos[count] = -compute;
  }

  void end(long nowNanos, long allocator, long data, long compute) {
    endNanos[count] = nowNanos;
    allocatorNanos[count] += allocator;
    dataNanos[count] += data;
    computeNanos[count] += compute;
    count++;
  }

  /** Number of steps. */
  public int count() {
    return count;
  }

  /** Number of a step's marker in the trace. */
  public int marker(int step) {
    return markers[step];
  }

  /** When the host began a step. */
  public long beginNanos(int step) {
    return beginNanos[step];
  }

  /** When the host ended a step; the GPU may still have been at its work. */
  public long endNanos(int step) {
    return endNanos[step];
  }

  /** Host time of a step in driver calls and in waiting for the GPU inside of the allocator. */
  public long allocatorNanos(int step) {
    return allocatorNanos[step];
  }

  /** Host time of a step that it waited for data: the loader, and copies that are not pinned. */
  public long dataNanos(int step) {
    return dataNanos[step];
  }

  /** Time during a step that the GPU computed. */
  public long computeNanos(int step) {
    return computeNanos[step];
  }
}
