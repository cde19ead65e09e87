package org.allocsim.simulator.policy.offline;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Looks for the lowest plan: the best of the greedy ones, then lower heights as long as a search
 * finds a placement below them or shows that there is none.
 *
 * <p>The lifetimes fall into parts that share no time. Buffers that live through all of a part lie
 * at its bottom, which costs nothing, as they part what is below them from what is above; the rest
 * may fall into parts again. A part that is higher than the bound is searched at the bound first,
 * with two thirds of the nodes, then by halving the heights between it and the best plan; both in
 * rounds of twice as many nodes. A part of more than {@value #MOST_BUFFERS} buffers keeps its
 * greedy plan.
 *
 * <p><b>Cost.</b> Four orders are searched for each height, each up to the nodes of the round; all
 * together not more than the nodes that are given. Without such a bound the time is exponential in
 * the number of buffers.
 */
final class SearchPlanner {
  /** Parts of more buffers are not searched: their recursion would be too deep. */
  static final int MOST_BUFFERS = 1000;

  private static final long FIRST_ROUND_NODES = 4000;

  private final Lifetimes lifetimes;
  private final long[] offsets;
  private final long boundBytes;
  private long provenBytes;
  private long nodesLeft;

  private SearchPlanner(Lifetimes lifetimes, long nodes) {
    this.lifetimes = lifetimes;
    offsets = new long[lifetimes.count()];
    nodesLeft = nodes;
    boundBytes = lifetimes.mostLiveBytes();
    provenBytes = boundBytes;
  }

  /**
   * The lowest plan that is found.
   *
   * @param nodes most nodes that the searches visit
   */
  static Plan plan(Lifetimes lifetimes, long nodes) {
    Plan best = greedy(lifetimes);
    SearchPlanner planner = new SearchPlanner(lifetimes, nodes);
    if (best.heightBytes() > planner.boundBytes) {
      planner.plan(IntStream.range(0, lifetimes.count()).toArray(), 0);
      Plan searched = Plan.of(lifetimes, planner.offsets, planner.provenBytes);
      if (searched.heightBytes() < best.heightBytes()) {
        return searched;
      }
    }
    return Plan.of(lifetimes, best.offsets(), Math.min(planner.provenBytes, best.heightBytes()));
  }

  /** The lowest of the greedy plans. */
  private static Plan greedy(Lifetimes lifetimes) {
    long bound = lifetimes.mostLiveBytes();
    Plan best = null;
    for (GreedyPlanner.Order order : GreedyPlanner.Order.values()) {
      if (best == null || best.heightBytes() > bound) {
        Plan plan = GreedyPlanner.plan(lifetimes, order);
        best = best == null || plan.heightBytes() < best.heightBytes() ? plan : best;
      }
    }
    return Objects.requireNonNull(best, "an order");
  }

  /** Plans buffers above a base, part by part. */
  private void plan(int[] buffers, long base) {
    Sections sections = new Sections(lifetimes, buffers);
    int[] crossing = new int[sections.count()];
    for (int i = 0; i < buffers.length; i++) {
      for (int s = sections.first(i); s + 1 < sections.end(i); s++) {
        crossing[s]++;
      }
    }
    int from = 0;
    for (int s = 0; s < sections.count(); s++) {
      if (crossing[s] == 0) {
        planPart(buffers, sections, from, s + 1, base);
        from = s + 1;
      }
    }
  }

  private void planPart(int[] buffers, Sections sections, int from, int to, long base) {
    int[] rest = new int[buffers.length];
    int count = 0;
    long bottom = base;
    for (int i = 0; i < buffers.length; i++) {
      if (sections.first(i) == from && sections.end(i) == to) {
        offsets[buffers[i]] = bottom;
        bottom += lifetimes.bytes()[buffers[i]];
      } else if (sections.first(i) >= from && sections.first(i) < to) {
        rest[count++] = buffers[i];
      }
    }
    if (count == 0) {
      return;
    }
    int[] part = Arrays.copyOf(rest, count);
    if (bottom > base) {
      plan(part, bottom);
    } else {
      new Part(part, base).plan();
    }
  }

  /** Buffers of which none lives all the time, and which do not fall into parts. */
  private final class Part {
    private final int[] buffers;
    private final Lifetimes own;
    private final long base;
    private final long unit;
    private long leastHeight;
    private long target;
    private long lastFailure;
    private Plan best;

    Part(int[] buffers, long base) {
      this.buffers = buffers;
      this.base = base;
      own =
          new Lifetimes(
              pick(lifetimes.lower()),
              pick(lifetimes.upper()),
              pick(lifetimes.nanos()),
              pick(lifetimes.bytes()));
      unit = Arrays.stream(own.bytes()).reduce(0, Part::greatestCommonDivisor);
      best = greedy(own);
    }

    private long[] pick(long[] column) {
      return Arrays.stream(buffers).mapToLong(buffer -> column[buffer]).toArray();
    }

    private static long greatestCommonDivisor(long a, long b) {
      return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }

    void plan() {
      leastHeight = own.mostLiveBytes();
      // A part need not be lower than the highest one, whose height is at least the bound.
      long enough = Math.max(leastHeight, provenBytes - base);
      if (best.heightBytes() > enough && buffers.length <= MOST_BUFFERS) {
        search(enough);
      }
      for (int i = 0; i < buffers.length; i++) {
        offsets[buffers[i]] = base + best.offsets()[i];
      }
      provenBytes = Math.max(provenBytes, base + leastHeight);
    }

    /** Lowers the best plan, at most down to a height that is enough. */
    private void search(long enough) {
      PlacementSearch search =
          new PlacementSearch(own.bytes(), own.nanos(), new Sections(own, all()));
      target = Math.max(leastHeight, enough / unit * unit);
      long kept = nodesLeft / 3;
      long roundNodes = FIRST_ROUND_NODES;
      while (target < best.heightBytes() && nodesLeft > kept) {
        attempt(search, target, Math.min(roundNodes, nodesLeft - kept));
        roundNodes *= 2;
      }
      roundNodes = FIRST_ROUND_NODES;
      while (target < best.heightBytes() && nodesLeft > 0) {
        long height = target;
        while (height < best.heightBytes() && nodesLeft > 0) {
          long failed = attempt(search, height, roundNodes);
          height = middle(Math.max(failed, target - unit), best.heightBytes());
        }
        roundNodes *= 2;
      }
    }

    /**
     * Searches at a height; lowers the best plan where it finds one, raises the target where it
     * shows that there is none.
     *
     * @return the height where it failed, else one below the target
     */
    private long attempt(PlacementSearch search, long height, long nodes) {
      for (PlacementSearch.Preference preference : PlacementSearch.Preference.values()) {
        long most = Math.min(nodes, nodesLeft);
        PlacementSearch.Result result = search.search(height, preference, most);
        nodesLeft -= most - search.nodesLeft();
        if (result == PlacementSearch.Result.FOUND) {
          best = Plan.of(own, search.offsets(), 0);
          return Math.max(lastFailure, target - unit);
        }
        if (result == PlacementSearch.Result.NONE) {
          leastHeight = Math.max(leastHeight, height + unit);
          target = Math.max(target, height + unit);
          break;
        }
      }
      lastFailure = height;
      return height;
    }

    /** A height above one that failed and below the best, or the best where there is none. */
    private long middle(long failed, long bestHeight) {
      long steps = (bestHeight - failed) / unit;
      return steps <= 1 ? bestHeight : failed + steps / 2 * unit;
    }

    private int[] all() {
      return IntStream.range(0, buffers.length).toArray();
    }
  }
}
