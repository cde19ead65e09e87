package org.allocsim.simulator.policy.offline;

/** Sorts placed buffers by where they begin. */
final class Placed {
  private Placed() {}

  /** Sorts the first rows of two columns by the first column (heap sort: no worst case). */
  static void sort(long[] starts, int[] buffers, int count) {
    for (int root = count / 2 - 1; root >= 0; root--) {
      sink(starts, buffers, root, count);
    }
    for (int last = count - 1; last > 0; last--) {
      swap(starts, buffers, 0, last);
      sink(starts, buffers, 0, last);
    }
  }

  private static void sink(long[] starts, int[] buffers, int root, int count) {
    int parent = root;
    while (2 * parent + 1 < count) {
      int child = 2 * parent + 1;
      if (child + 1 < count && starts[child + 1] > starts[child]) {
        child++;
      }
      if (starts[parent] >= starts[child]) {
        return;
      }
      swap(starts, buffers, parent, child);
      parent = child;
    }
  }

  private static void swap(long[] starts, int[] buffers, int a, int b) {
    long start = starts[a];
    starts[a] = starts[b];
    starts[b] = start;
    int buffer = buffers[a];
    buffers[a] = buffers[b];
    buffers[b] = buffer;
  }
}
