package org.allocsim.simulator.policy.offline;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the lowest plan: the best of the greedy ones, then lower heights as long as a search
 * finds a placement below them or shows that there is none.
 *
 * <p>The lifetimes fall into parts that share no time. Buffers that live through all of a part lie
 * at its bottom, which costs nothing, as they part what is below them from what is above; the rest
 * may fall into parts again. A part that is higher than the bound is searched at the bound first,
 * with two thirds of the nodes, then by halving the heights between it and the best plan; both in
 * rounds of twice as many nodes. A part of more than {@value #MAX_BUFFERS} buffers keeps its greedy
 * plan.
 *
 * <p><b>Cost.</b> Four orders are searched for each height, each up to the nodes of the round; all
 * together not more than the nodes that are given. Without such a bound the time is exponential in
 * the number of buffers.
 */
final class SearchPlanner {
  /** Parts of more buffers are not searched: their recursion would be too deep. */
  static final int MAX_BUFFERS = 1000;

  private static final long FIRST_ROUND_NODES = 4000;

  private final Lifetimes lifetimes;
  private final long[] offsets;
  private final long boundBytes;
  private long provenBytes;
  private long nodesLeft;
  private final PlanBudget budget;

  private SearchPlanner(Lifetimes lifetimes, long nodes, PlanBudget budget) {
    this.lifetimes = lifetimes;
    this.budget = budget;
    offsets = new long[lifetimes.count()];
    nodesLeft = nodes;
    boundBytes = lifetimes.maxLiveBytes();
    provenBytes = boundBytes;
  }

  /**
   * The lowest plan that is found.
   *
   * @param nodes most nodes that the searches visit
   * @param budget what the greedy plans and taking lifetimes apart may take
   * @return null where not even one greedy plan is made within the budget
   */
  static @Nullable Plan plan(Lifetimes lifetimes, long nodes, PlanBudget budget) {
    Plan best = greedy(lifetimes, budget);
    if (best == null) {
      return null;
    }
    SearchPlanner planner = new SearchPlanner(lifetimes, nodes, budget);
    if (best.heightBytes() > planner.boundBytes) {
      if (!planner.planAll()) {
        return Plan.of(lifetimes, best.offsets(), planner.boundBytes);
      }
      Plan searched = Plan.of(lifetimes, planner.offsets, planner.provenBytes);
      if (searched.heightBytes() < best.heightBytes()) {
        return searched;
      }
    }
    return Plan.of(lifetimes, best.offsets(), Math.min(planner.provenBytes, best.heightBytes()));
  }

  /** The lowest of the greedy plans that the budget holds, or null. */
  private static @Nullable Plan greedy(Lifetimes lifetimes, PlanBudget budget) {
    long bound = lifetimes.maxLiveBytes();
    Plan best = null;
    for (GreedyPlanner.Order order : GreedyPlanner.Order.values()) {
      if (best == null || best.heightBytes() > bound) {
        Plan plan = GreedyPlanner.plan(lifetimes, order, budget);
        if (plan == null) {
          break;
        }
        best = best == null || plan.heightBytes() < best.heightBytes() ? plan : best;
      }
    }
    return best;
  }

  /**
   * Buffers to be planned above a base.
   *
   * @param isPart whether none lives all the time, and they do not fall into parts
   */
  private record Task(int[] buffers, long base, boolean isPart) {}

  /** Plans all buffers, part by part; answers whether the budget held it. */
  private boolean planAll() {
    // Parts wait here, the first one on top: lifetimes nest too deeply for a recursion.
    ArrayDeque<Task> tasks = new ArrayDeque<>();
    tasks.push(new Task(IntStream.range(0, lifetimes.count()).toArray(), 0, false));
    while (!tasks.isEmpty()) {
      Task task = tasks.pop();
      if (!budget.spend(task.buffers.length)) {
        return false;
      }
      if (!task.isPart) {
        takeApart(task).reversed().forEach(tasks::push);
      } else if (!planPart(task)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Cuts buffers into parts that share no time. What lives through all of a part goes to its
   * bottom; the rest is left to do.
   */
  private List<Task> takeApart(Task task) {
    List<Task> within = new ArrayList<>();
    int[] buffers = task.buffers;
    Sections sections = new Sections(lifetimes, buffers);
    // How many more buffers live across the end of a section than across that of the one before.
    int[] crossingMore = new int[sections.count() + 1];
    for (int i = 0; i < buffers.length; i++) {
      crossingMore[sections.first(i)]++;
      crossingMore[sections.end(i) - 1]--;
    }
    int[] partOf = new int[sections.count()];
    int[] endOfPart = new int[sections.count()];
    int parts = 0;
    int crossing = 0;
    for (int s = 0; s < sections.count(); s++) {
      crossing += crossingMore[s];
      partOf[s] = parts;
      if (crossing == 0) {
        endOfPart[parts++] = s + 1;
      }
    }
    int[] startOfPart = new int[parts + 1];
    for (int i = 0; i < buffers.length; i++) {
      startOfPart[partOf[sections.first(i)] + 1]++;
    }
    for (int part = 0; part < parts; part++) {
      startOfPart[part + 1] += startOfPart[part];
    }
    int[] indices = new int[buffers.length];
    int[] filled = Arrays.copyOf(startOfPart, parts);
    for (int i = 0; i < buffers.length; i++) {
      indices[filled[partOf[sections.first(i)]]++] = i;
    }
    for (int part = 0; part < parts; part++) {
      int from = part == 0 ? 0 : endOfPart[part - 1];
      int[] rest = new int[startOfPart[part + 1] - startOfPart[part]];
      int count = 0;
      long bottom = task.base;
      for (int at = startOfPart[part]; at < startOfPart[part + 1]; at++) {
        int i = indices[at];
        if (sections.first(i) == from && sections.end(i) == endOfPart[part]) {
          offsets[buffers[i]] = bottom;
          bottom += lifetimes.bytes()[buffers[i]];
        } else {
          rest[count++] = buffers[i];
        }
      }
      if (count > 0) {
        within.add(new Task(Arrays.copyOf(rest, count), bottom, bottom == task.base));
      }
    }
    return within;
  }

  private boolean planPart(Task task) {
    Lifetimes own = picked(task.buffers);
    Plan greedy = greedy(own, budget);
    if (greedy != null) {
      new Part(task, own, greedy).plan();
    }
    return greedy != null;
  }

  private Lifetimes picked(int[] buffers) {
    return new Lifetimes(
        pick(buffers, lifetimes.lower()),
        pick(buffers, lifetimes.upper()),
        pick(buffers, lifetimes.nanos()),
        pick(buffers, lifetimes.bytes()));
  }

  private static long[] pick(int[] buffers, long[] column) {
    return Arrays.stream(buffers).mapToLong(buffer -> column[buffer]).toArray();
  }

  /** Buffers of which none lives all the time, and which do not fall into parts. */
  private final class Part {
    private final int[] buffers;
    private final Lifetimes own;
    private final long base;
    private final long unit;
    private long minHeight;
    private long target;
    private long lastFailure;
    private Plan best;

    Part(Task task, Lifetimes own, Plan greedy) {
      buffers = task.buffers;
      base = task.base;
      this.own = own;
      unit = Arrays.stream(own.bytes()).reduce(0, Part::greatestCommonDivisor);
      best = greedy;
    }

    private static long greatestCommonDivisor(long a, long b) {
      return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }

    void plan() {
      minHeight = own.maxLiveBytes();
      // A part need not be lower than the highest one, whose height is at least the bound.
      long enough = Math.max(minHeight, provenBytes - base);
      if (best.heightBytes() > enough && buffers.length <= MAX_BUFFERS) {
        search(enough);
      }
      for (int i = 0; i < buffers.length; i++) {
        offsets[buffers[i]] = base + best.offsets()[i];
      }
      provenBytes = Math.max(provenBytes, base + minHeight);
    }

    /** Lowers the best plan, at most down to a height that is enough. */
    private void search(long enough) {
      PlacementSearch search =
          new PlacementSearch(own.bytes(), own.nanos(), new Sections(own, all()));
      target = Math.max(minHeight, enough / unit * unit);
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
          minHeight = Math.max(minHeight, height + unit);
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
