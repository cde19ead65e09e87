package org.allocsim.simulator.policy.offline;

import java.util.Arrays;

/**
 * Places buffers one after the other: each into the smallest gap that holds it among those placed
 * before whose lifetimes meet its own, the lowest of equal gaps, else on top of them. This is the
 * greedy planner of TensorFlow Lite's GPU delegate (arXiv 2001.03288; {@code
 * greedy_by_size_assignment.cc}), whose order is the caller's.
 *
 * <p>Placed buffers are listed by offset in windows of time, of half the width on each level and
 * with a second row of windows shifted by half a width. A buffer is compared with those of the
 * narrowest window that its lifetime lies in: about as many as live then and a few times its own
 * length, not all.
 */
public final class Placement {
  private static final int MAX_LEVELS = 14;
  private static final int MIN_WINDOW = 64;

  /** Windows have at most so many places for each buffer, on average. */
  private static final long PLACES_OF_A_BUFFER = 48;

  private static final class Window {
    int[] buffers = new int[8];
    int count;

    /** How many of the buffers, the first ones, are in order. */
    int ordered;
  }

  private final int[] starts;
  private final int[] ends;
  private final long[] bytes;
  private final int times;
  private final long[] offset;
  private final int levels;
  private final PlanBudget budget;

  /** Windows by level, two rows each: aligned, and shifted by half a width. */
  private final Window[][] windows;

  private long height;

  /**
   * A placement of no buffer yet. The columns have a row for each buffer.
   *
   * @param starts when each begins to live, from 0 on
   * @param ends when it ends, which is later
   * @param bytes its size
   * @param times no buffer ends later
   * @param budget what placing may take
   */
  public Placement(int[] starts, int[] ends, long[] bytes, int times, PlanBudget budget) {
    this.starts = starts;
    this.ends = ends;
    this.bytes = bytes;
    this.times = times;
    this.budget = budget;
    offset = new long[bytes.length];
    int depth = 1;
    long places = 2L * bytes.length;
    while (depth < MAX_LEVELS && width(depth) >= MIN_WINDOW) {
      places += placesOf(depth);
      if (places > PLACES_OF_A_BUFFER * bytes.length) {
        break;
      }
      depth++;
    }
    levels = depth;
    windows = new Window[levels * 2][];
    for (int level = 0; level < levels; level++) {
      windows[2 * level] = new Window[1 << level];
      windows[2 * level + 1] = new Window[(1 << level) + 1];
    }
  }

  /** Width of the windows of a level. */
  private int width(int level) {
    return (int) (((long) times + (1L << level) - 1) >> level);
  }

  /** At most so many places of windows of a level are taken by all buffers. */
  private long placesOf(int level) {
    int width = width(level);
    long places = 0;
    for (int buffer = 0; buffer < bytes.length; buffer++) {
      places += 2L * ((ends[buffer] - starts[buffer]) / width + 2);
    }
    return places;
  }

  /**
   * Places a buffer for good.
   *
   * @return whether the budget held what it took; if not, the buffer is not placed
   */
  public boolean place(int buffer) {
    Window window = narrowest(starts[buffer], ends[buffer]);
    if (window != null) {
      if (!budget.spend(window.count)) {
        return false;
      }
      order(window);
      offset[buffer] = lowestOfSmallestGaps(buffer, window);
    }
    height = Math.max(height, offset[buffer] + bytes[buffer]);
    insert(buffer);
    return true;
  }

  private long lowestOfSmallestGaps(int buffer, Window window) {
    int start = starts[buffer];
    int end = ends[buffer];
    long needed = bytes[buffer];
    long smallest = Long.MAX_VALUE;
    long found = -1;
    long reached = 0;
    for (int i = 0; i < window.count; i++) {
      int placed = window.buffers[i];
      if (starts[placed] < end && start < ends[placed]) {
        long gap = offset[placed] - reached;
        if (gap >= needed && gap < smallest) {
          smallest = gap;
          found = reached;
        }
        reached = Math.max(reached, offset[placed] + bytes[placed]);
      }
    }
    return found >= 0 ? found : reached;
  }

  /** The narrowest window that a lifetime lies in; null where that window is empty. */
  private Window narrowest(int start, int end) {
    for (int level = levels - 1; level > 0; level--) {
      int width = width(level);
      if (start / width == (end - 1) / width) {
        return windows[2 * level][start / width];
      }
      int shift = width / 2;
      if ((start + shift) / width == (end - 1 + shift) / width) {
        return windows[2 * level + 1][(start + shift) / width];
      }
    }
    return windows[0][0];
  }

  private void insert(int buffer) {
    for (int level = 0; level < levels; level++) {
      int width = width(level);
      for (int shifted = 0; shifted < 2; shifted++) {
        int shift = shifted * (width / 2);
        Window[] row = windows[2 * level + shifted];
        int last = (ends[buffer] - 1 + shift) / width;
        for (int at = (starts[buffer] + shift) / width; at <= last; at++) {
          if (row[at] == null) {
            row[at] = new Window();
          }
          insert(row[at], buffer);
        }
      }
    }
  }

  private static void insert(Window window, int buffer) {
    if (window.count == window.buffers.length) {
      window.buffers = Arrays.copyOf(window.buffers, window.count * 2);
    }
    window.buffers[window.count++] = buffer;
  }

  /** Brings the buffers of a window that is searched into the order of their offsets. */
  private void order(Window window) {
    int added = window.count - window.ordered;
    if (added == 0) {
      return;
    }
    int[] buffers = Arrays.copyOfRange(window.buffers, window.ordered, window.count);
    long[] offsets = new long[added];
    Arrays.setAll(offsets, i -> offset[buffers[i]]);
    Placed.sort(offsets, buffers, added);
    int old = window.ordered - 1;
    int next = added - 1;
    for (int at = window.count - 1; next >= 0; at--) {
      if (old >= 0 && offset[window.buffers[old]] > offsets[next]) {
        window.buffers[at] = window.buffers[old--];
      } else {
        window.buffers[at] = buffers[next--];
      }
    }
    window.ordered = window.count;
  }

  /** Place of a buffer. */
  public long offset(int buffer) {
    return offset[buffer];
  }

  /** End of the highest buffer. */
  public long height() {
    return height;
  }
}
