package org.allocsim.simulator.policy.offline;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.allocsim.simulator.policy.offline.PlacementSearch.Preference;
import org.allocsim.simulator.policy.offline.PlacementSearch.Result;

/**
 * The rules of {@link SearchPlanner} as they are told: by recursion, and with every greedy plan of
 * every part.
 */
final class NaiveSearchPlanner {
  private static final long ROUND = 4000;

  private final Lifetimes all;
  private final long[] offsets;
  private long nodes;
  private long proven;

  private NaiveSearchPlanner(Lifetimes all, long nodes) {
    this.all = all;
    this.nodes = nodes;
    offsets = new long[all.count()];
    proven = all.maxLiveBytes();
  }

  static Plan plan(Lifetimes lifetimes, long nodes) {
    NaiveSearchPlanner planner = new NaiveSearchPlanner(lifetimes, nodes);
    Plan greedy = lowestGreedy(lifetimes);
    if (greedy.heightBytes() > planner.proven) {
      planner.planAbove(0, IntStream.range(0, lifetimes.count()).boxed().toList());
    }
    Plan searched = Plan.of(lifetimes, planner.offsets, planner.proven);
    boolean isLower =
        greedy.heightBytes() > lifetimes.maxLiveBytes()
            && searched.heightBytes() < greedy.heightBytes();
    return isLower
        ? searched
        : Plan.of(lifetimes, greedy.offsets(), Math.min(planner.proven, greedy.heightBytes()));
  }

  /** The first of the lowest. */
  private static Plan lowestGreedy(Lifetimes lifetimes) {
    return Arrays.stream(GreedyPlanner.Order.values())
        .map(order -> GreedyPlanner.plan(lifetimes, order, new PlanBudget(1 << 20)))
        .min(Comparator.comparingLong(Plan::heightBytes))
        .orElseThrow();
  }

  /** Plans buffers above a base, each part that shares no time with others on its own. */
  private void planAbove(long base, List<Integer> buffers) {
    List<Integer> part = new ArrayList<>();
    long end = 0;
    for (int buffer : buffers) {
      if (!part.isEmpty() && all.lower()[buffer] >= end) {
        planConnected(base, part);
        part = new ArrayList<>();
      }
      part.add(buffer);
      end = Math.max(end, all.upper()[buffer]);
    }
    if (!part.isEmpty()) {
      planConnected(base, part);
    }
  }

  /** What lives together with every other buffer goes to the bottom. */
  private void planConnected(long base, List<Integer> part) {
    long bottom = base;
    List<Integer> rest = new ArrayList<>();
    for (int buffer : part) {
      boolean livesThrough =
          part.stream()
              .allMatch(other ->
                  all.lower()[buffer] < all.upper()[other]
                      && all.lower()[other] < all.upper()[buffer]);
      if (livesThrough) {
        offsets[buffer] = bottom;
        bottom += all.bytes()[buffer];
      } else {
        rest.add(buffer);
      }
    }
    if (bottom > base) {
      planAbove(bottom, rest);
    } else {
      planPart(base, rest);
    }
  }

  private void planPart(long base, List<Integer> part) {
    Lifetimes own =
        new Lifetimes(
            pick(part, all.lower()),
            pick(part, all.upper()),
            pick(part, all.nanos()),
            pick(part, all.bytes()));
    Halving halving = new Halving(own, Math.max(own.maxLiveBytes(), proven - base));
    halving.run();
    for (int i = 0; i < part.size(); i++) {
      offsets[part.get(i)] = base + halving.best.offsets()[i];
    }
    proven = Math.max(proven, base + halving.least);
  }

  private static long[] pick(List<Integer> part, long[] column) {
    return part.stream().mapToLong(buffer -> column[buffer]).toArray();
  }

  /** The searches for one part. */
  private final class Halving {
    private final Lifetimes own;
    private final PlacementSearch search;
    private final long unit;
    private Plan best;
    private long least;
    private long target;
    private long failed;

    Halving(Lifetimes own, long enough) {
      this.own = own;
      search =
          new PlacementSearch(
              own.bytes(),
              own.nanos(),
              new Sections(own, IntStream.range(0, own.count()).toArray()));
      unit =
          LongStream.of(own.bytes())
              .mapToObj(BigInteger::valueOf)
              .reduce(BigInteger.ZERO, BigInteger::gcd)
              .longValueExact();
      best = lowestGreedy(own);
      least = own.maxLiveBytes();
      target = enough;
    }

    void run() {
      if (best.heightBytes() <= target) {
        return;
      }
      target = Math.max(least, target - target % unit);
      long kept = nodes / 3;
      for (long round = ROUND; target < best.heightBytes() && nodes > kept; round *= 2) {
        tryAt(target, Math.min(round, nodes - kept));
      }
      for (long round = ROUND; target < best.heightBytes() && nodes > 0; round *= 2) {
        long height = target;
        while (height < best.heightBytes() && nodes > 0) {
          long below = Math.max(tryAt(height, round), target - unit);
          long steps = (best.heightBytes() - below) / unit;
          height = steps < 2 ? best.heightBytes() : below + steps / 2 * unit;
        }
      }
    }

    /** Answers the height below which nothing was found last. */
    private long tryAt(long height, long most) {
      for (Preference preference : Preference.values()) {
        long granted = Math.min(most, nodes);
        Result result = search.search(height, preference, granted);
        nodes -= granted - search.nodesLeft();
        if (result == Result.FOUND) {
          best = Plan.of(own, search.offsets(), 0);
          return Math.max(failed, target - unit);
        }
        if (result == Result.NONE) {
          least = Math.max(least, height + unit);
          target = Math.max(target, height + unit);
          break;
        }
      }
      failed = height;
      return height;
    }
  }
}
