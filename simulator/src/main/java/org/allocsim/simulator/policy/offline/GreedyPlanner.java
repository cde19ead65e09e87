package org.allocsim.simulator.policy.offline;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The orders in which the buffers of a trace are {@linkplain Placement placed}. */
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

  private GreedyPlanner() {}

  /** A plan for buffers placed in this order, or null where it takes more than the budget. */
  static @Nullable Plan plan(Lifetimes lifetimes, Order order, PlanBudget budget) {
    return plan(lifetimes, ordered(lifetimes, order), budget);
  }

  /** A plan for buffers placed in the order of their numbers in a list, or null as above. */
  static @Nullable Plan plan(Lifetimes lifetimes, int[] order, PlanBudget budget) {
    int[] starts = Arrays.stream(lifetimes.lower()).mapToInt(Math::toIntExact).toArray();
    int[] ends = Arrays.stream(lifetimes.upper()).mapToInt(Math::toIntExact).toArray();
    int times = Arrays.stream(ends).max().orElse(1);
    Placement placement = new Placement(starts, ends, lifetimes.bytes(), times, budget);
    for (int buffer : order) {
      if (!placement.place(buffer)) {
        return null;
      }
    }
    long[] offsets = IntStream.range(0, lifetimes.count()).mapToLong(placement::offset).toArray();
    return Plan.of(lifetimes, offsets, 0);
  }

  private static int[] ordered(Lifetimes lifetimes, Order order) {
    long[] nanos = lifetimes.nanos();
    long[] bytes = lifetimes.bytes();
    Comparator<Integer> ascending =
        switch (order) {
          case SIZE -> Comparator.comparingLong(buffer -> bytes[buffer]);
          case AREA -> Comparator.comparingDouble(buffer -> (double) bytes[buffer] * nanos[buffer]);
          case LIFETIME -> Comparator.comparingLong(buffer -> nanos[buffer]);
          case TIME -> (_, _) -> 0; // they are numbered in this order
        };
    return IntStream.range(0, lifetimes.count())
        .boxed()
        .sorted(ascending.reversed())
        .mapToInt(Integer::intValue)
        .toArray();
  }
}
