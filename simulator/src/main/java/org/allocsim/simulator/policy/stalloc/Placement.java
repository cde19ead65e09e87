package org.allocsim.simulator.policy.stalloc;

import java.util.Arrays;

/**
 * Places buffers one after the other: each into the smallest gap that holds it among those placed
 * before whose lifetimes meet its own, the lowest of equal gaps, else on top of them. This is the
 * greedy planner of TensorFlow Lite's GPU delegate (arXiv 2001.03288), whose order is the caller's.
 *
 * <p>Placed buffers are listed by offset in windows of time, of half the width on each level and
 * with a second row of windows shifted by half a width. A buffer is compared with those of the
 * narrowest window that its lifetime lies in: about as many as live then and a few times its own
 * length, not all.
 */
final class Placement {
  private static final int MOST_LEVELS = 10;
  private static final int LEAST_WINDOW = 64;

  private static final class Window {
    int[] buffers = new int[8];
    int count;
  }

  private final Lifetimes lifetimes;
  private final long[] offset;
  private final int levels;

  /** Windows by level, two rows each: aligned, and shifted by half a width. */
  private final Window[][] windows;

  private long height;

  Placement(Lifetimes lifetimes) {
    this.lifetimes = lifetimes;
    offset = new long[lifetimes.count()];
    int depth = 1;
    while (depth < MOST_LEVELS && width(depth) >= LEAST_WINDOW) {
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
    return (int) (((long) lifetimes.times() + (1L << level) - 1) >> level);
  }

  /** Places a buffer for good. */
  void place(int buffer) {
    Window window = narrowest(lifetimes.start(buffer), lifetimes.end(buffer));
    offset[buffer] = window == null ? 0 : lowestOfSmallestGaps(buffer, window);
    height = Math.max(height, offset[buffer] + lifetimes.bytes(buffer));
    insert(buffer);
  }

  private long lowestOfSmallestGaps(int buffer, Window window) {
    int start = lifetimes.start(buffer);
    int end = lifetimes.end(buffer);
    long needed = lifetimes.bytes(buffer);
    long smallest = Long.MAX_VALUE;
    long found = -1;
    long reached = 0;
    for (int i = 0; i < window.count; i++) {
      int placed = window.buffers[i];
      if (lifetimes.start(placed) < end && start < lifetimes.end(placed)) {
        long gap = offset[placed] - reached;
        if (gap >= needed && gap < smallest) {
          smallest = gap;
          found = reached;
        }
        reached = Math.max(reached, offset[placed] + lifetimes.bytes(placed));
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
        int last = (lifetimes.end(buffer) - 1 + shift) / width;
        for (int at = (lifetimes.start(buffer) + shift) / width; at <= last; at++) {
          if (row[at] == null) {
            row[at] = new Window();
          }
          insert(row[at], buffer);
        }
      }
    }
  }

  /** Keeps a window ordered by offset. */
  private void insert(Window window, int buffer) {
    if (window.count == window.buffers.length) {
      window.buffers = Arrays.copyOf(window.buffers, window.count * 2);
    }
    int low = 0;
    int high = window.count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (offset[window.buffers[middle]] <= offset[buffer]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    System.arraycopy(window.buffers, low, window.buffers, low + 1, window.count - low);
    window.buffers[low] = buffer;
    window.count++;
  }

  /** Place of a buffer. */
  long offset(int buffer) {
    return offset[buffer];
  }

  /** End of the highest buffer. */
  long height() {
    return height;
  }
}
