package org.allocsim.simulator.policy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;

/** Seeded traces of allocations and frees on a few streams, sizes from bytes to 100 MiB. */
public final class RandomTraces {
  private RandomTraces() {}

  /** A trace of about this many requests that ends with live allocations. */
  public static AllocationTrace of(int seed, int requests, int streams) {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    random(trace, seed, requests, streams);
    return build(trace);
  }

  /** As above, then everything is freed, the host waits and the cache is emptied. */
  public static AllocationTrace emptied(int seed, int requests, int streams) {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    for (int allocation : random(trace, seed, requests, streams)) {
      trace.free(allocation);
    }
    trace.synchronize();
    trace.emptyCache();
    return build(trace);
  }

  /** So many allocations, of which few are live at a time, on many streams in turn. */
  public static AllocationTrace many(int allocations, int streams) {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    SplittableRandom random = new SplittableRandom(allocations);
    Deque<Integer> live = new ArrayDeque<>();
    for (int i = 0; i < allocations; i++) {
      long bytes = i % 3 == 0 ? 1 + random.nextLong(4096) : 1 + random.nextLong(1 << 20);
      live.add(trace.allocate(bytes, i % streams * 16L, PoolId.DEFAULT));
      if (live.size() > 200) {
        trace.free(live.remove());
      }
    }
    live.forEach(trace::free);
    return build(trace);
  }

  /** A trace without stacks. */
  public static AllocationTrace build(AllocationTrace.Builder trace) {
    return trace.build(new StackTable.Builder().build());
  }

  private static List<Integer> random(
      AllocationTrace.Builder trace, int seed, int requests, int streams) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Integer> live = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      trace.at(0, 1_000L * i, 0);
      boolean frees = !live.isEmpty() && random.nextInt(100) < (live.size() > 60 ? 60 : 42);
      if (frees) {
        int index = random.nextInt(live.size());
        trace.free(live.set(index, live.getLast()));
        live.removeLast();
      } else if (random.nextInt(40) == 0) {
        trace.synchronize();
      } else {
        long stream = random.nextInt(streams) * 16L;
        live.add(trace.allocate(bytes(random), stream, PoolId.DEFAULT));
      }
    }
    return live;
  }

  private static long bytes(SplittableRandom random) {
    return switch (random.nextInt(5)) {
      case 0 -> 1 + random.nextLong(4096);
      case 1 -> 1 + random.nextLong(1 << 20);
      case 2 -> (1L << random.nextInt(9, 26)) + random.nextInt(-1, 2);
      case 3 -> (1 << 20) + random.nextLong(20 << 20);
      default -> 1 + random.nextLong(100 << 20);
    };
  }
}
