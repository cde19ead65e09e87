package org.allocsim.simulator.policy.offline;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Places one buffer after the other into the smallest gap that fits between the buffers that live
 * at the same time, at the lowest of equal ones, else on top of them.
 *
 * <p><b>Source.</b> TensorFlow Lite, {@code
 * lite/delegates/gpu/common/memory_management/greedy_by_size_assignment.cc}.
 *
 * <p><b>Cost.</b> n log n, and k log k for each buffer with k placed ones that live at the same
 * time: up to n² log n.
 */
final class GreedyPlanner {
  /** Which buffer is placed first; equal ones in their own order. */
  enum Order {
    /** The largest. */
    SIZE,
    /** The largest product of size and lifetime. */
    AREA,
    /** The one that lives longest. */
    LIFETIME,
    /** The one that lives first: what best fit does online. */
    TIME
  }

  private final Lifetimes lifetimes;
  private final long[] offsets;

  /** For each node of a binary tree over the buffers, the latest end of a placed one below it. */
  private final long[] latestEnds;

  private final int leaves;
  private int[] found = new int[64];
  private int foundCount;

  private GreedyPlanner(Lifetimes lifetimes) {
    this.lifetimes = lifetimes;
    offsets = new long[lifetimes.count()];
    leaves = Math.max(1, Integer.highestOneBit(Math.max(1, lifetimes.count()) * 2 - 1));
    latestEnds = new long[2 * leaves];
    Arrays.fill(latestEnds, Long.MIN_VALUE);
  }

  /** A plan for buffers placed in this order. */
  static Plan plan(Lifetimes lifetimes, Order order) {
    return plan(lifetimes, ordered(lifetimes, order));
  }

  /** A plan for buffers placed in the order of their numbers in a list. */
  static Plan plan(Lifetimes lifetimes, int[] order) {
    GreedyPlanner planner = new GreedyPlanner(lifetimes);
    for (int buffer : order) {
      planner.place(buffer);
    }
    return Plan.of(lifetimes, planner.offsets, 0);
  }

  private static int[] ordered(Lifetimes lifetimes, Order order) {
    long[] lower = lifetimes.lower();
    long[] nanos = lifetimes.nanos();
    long[] bytes = lifetimes.bytes();
    Comparator<Integer> ascending =
        switch (order) {
          case SIZE -> Comparator.comparingLong(buffer -> bytes[buffer]);
          case AREA -> Comparator.comparingDouble(buffer -> (double) bytes[buffer] * nanos[buffer]);
          case LIFETIME -> Comparator.comparingLong(buffer -> nanos[buffer]);
          case TIME -> Comparator.comparingLong(buffer -> -lower[buffer]);
        };
    return IntStream.range(0, lifetimes.count())
        .boxed()
        .sorted(ascending.reversed())
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private void place(int buffer) {
    foundCount = 0;
    collect(1, 0, leaves, firstNotBefore(lifetimes.upper()[buffer]), lifetimes.lower()[buffer]);
    long[] starts = new long[foundCount];
    for (int i = 0; i < foundCount; i++) {
      starts[i] = offsets[found[i]];
    }
    Placed.sort(starts, found, foundCount);
    long bytes = lifetimes.bytes()[buffer];
    long reached = 0;
    long bestGap = Long.MAX_VALUE;
    long bestStart = -1;
    for (int i = 0; i < foundCount; i++) {
      long gap = starts[i] - reached;
      if (gap >= bytes && gap < bestGap) {
        bestGap = gap;
        bestStart = reached;
      }
      reached = Math.max(reached, starts[i] + lifetimes.bytes()[found[i]]);
    }
    offsets[buffer] = bestStart >= 0 ? bestStart : reached;
    for (int node = leaves + buffer; node > 0; node >>= 1) {
      latestEnds[node] = Math.max(latestEnds[node], lifetimes.upper()[buffer]);
    }
  }

  /** Number of buffers that begin before a time. */
  private int firstNotBefore(long time) {
    int low = 0;
    int high = lifetimes.count();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (lifetimes.lower()[middle] < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Collects the placed buffers with numbers below {@code most} that end after a time. */
  private void collect(int node, int from, int to, int most, long time) {
    if (from >= most || latestEnds[node] <= time) {
      return;
    }
    if (to - from == 1) {
      if (foundCount == found.length) {
        found = Arrays.copyOf(found, foundCount * 2);
      }
      found[foundCount++] = from;
      return;
    }
    int middle = (from + to) >>> 1;
    collect(2 * node, from, middle, most, time);
    collect(2 * node + 1, middle, to, most, time);
  }
}
