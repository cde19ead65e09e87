package org.allocsim.validation.torch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.allocsim.validation.torch.AllocatorCall.Kind;

/**
 * Random sequences of calls, one kind of settings after the other. A seed always gives the same
 * sequence.
 */
final class RandomCalls {
  private static final long MIB = 1L << 20;
  private static final int CALLS = 10_000;
  private static final int MAX_LIVE = 400;

  /** What sequences try, in turn. */
  static final List<String> KINDS =
      List.of(
          "default",
          "expandable",
          "max_split",
          "roundup",
          "roundup_list",
          "gc",
          "fraction",
          "fraction_key",
          "non_split_rounding",
          "large_segment",
          "streams",
          "streams_expandable",
          "pools",
          "pools_expandable",
          "pools_nested",
          "pools_streams",
          "pools_on_oom",
          "pools_no_split",
          "mix",
          "expandable_mix",
          "settings",
          "settings_pools",
          "captures",
          "captures_streams",
          "captures_pools",
          "pools_mix",
          "pools_expandable_mix",
          "captures_mix",
          "captures_pools_mix");

  private final SplittableRandom random;
  private final String kind;
  private final List<AllocatorCall> calls = new ArrayList<>();
  private final List<Integer> live = new ArrayList<>();
  private final Map<Integer, Integer> streamOf = new HashMap<>();
  private final Map<Integer, List<Integer>> usesOf = new HashMap<>();

  /** Freed allocations whose uses on a stream may be unfinished, by stream. */
  private final List<Deque<Integer>> pending = new ArrayList<>();

  private final List<Integer> pools = new ArrayList<>();
  private final Deque<Integer> open = new ArrayDeque<>();
  private final Map<Integer, Integer> poolOf = new HashMap<>();
  private final List<String> confs = new ArrayList<>();

  /** Graphs of each pool that captures made. */
  private final Map<Integer, Integer> graphs = new TreeMap<>();

  /** The stream on which a graph is captured, 0 for none. */
  private int capturing;

  /**
   * Allocations that are used in a capture. Where one is given back outside of captures, PyTorch
   * may drop uses of another one, by chance.
   */
  private final Set<Integer> usedInCapture = new HashSet<>();

  /**
   * Split limits do not fall at run time: PyTorch then gives parts of segments back to the device,
   * and stops when that refuses.
   */
  private int minMaxSplit;

  /** The stream of the last request. */
  private int current;

  /** The pool of that graph. */
  private int capturedPool;

  private final int streams;
  private final int sizes;
  private int allocations;
  private int poolsMade;

  /** The pool for emergencies, 0 for none: PyTorch asks several in the order of a hash set. */
  private int poolForEmergencies;

  private RandomCalls(String kind, long seed) {
    this.kind = kind;
    random = new SplittableRandom(seed);
    streams =
        kind.contains("streams") || kind.endsWith("mix")
            ? 2 + random.nextInt(4)
            : captures() ? 2 : 1;
    sizes = random.nextInt(4);
    for (int i = 0; i < streams; i++) {
      pending.add(new ArrayDeque<>());
    }
  }

  /** The sequence of a seed. */
  static CallSequence sequence(int id, long seed) {
    String kind = KINDS.get((int) Math.floorMod(seed, (long) KINDS.size()));
    return new RandomCalls(kind, seed).make(id);
  }

  private CallSequence make(int id) {
    long capacityBytes = (100 + random.nextInt(random.nextBoolean() ? 900 : 8000)) * 2L * MIB;
    confs.add(conf());
    boolean limited =
        kind.equals("fraction") || kind.equals("gc") || (isMixed() && random.nextBoolean());
    double fraction =
        limited ? random.nextInt(8) == 0 ? 1 : 0.05 + random.nextDouble() * 0.9 : Double.NaN;
    while (calls.size() < CALLS) {
      call();
    }
    return new CallSequence(
        id, kind, confs, capacityBytes, fraction, random.nextInt(6), streams, calls);
  }

  private boolean isMixed() {
    return kind.endsWith("mix") || changes();
  }

  /** Whether settings change at run time. */
  private boolean changes() {
    return kind.startsWith("settings");
  }

  private boolean captures() {
    return kind.startsWith("captures");
  }

  private String conf() {
    List<String> parts = new ArrayList<>();
    int maxSplit = Integer.MAX_VALUE;
    boolean expandable = kind.contains("expandable");
    if (expandable) {
      parts.add("expandable_segments:True");
    } else if (changes() || captures()) {
      parts.add("expandable_segments:" + (random.nextBoolean() ? "True" : "False"));
    }
    if (uses("max_split") || kind.equals("non_split_rounding")) {
      List<Integer> sizes =
          changes() ? List.of(32, 64, 100, 200) : List.of(20, 21, 24, 32, 64, 100, 200);
      maxSplit = Math.max(minMaxSplit, sizes.get(random.nextInt(sizes.size())));
      if (minMaxSplit < Integer.MAX_VALUE) {
        parts.add("max_split_size_mb:" + maxSplit);
      }
    }
    minMaxSplit = changes() ? maxSplit : 0;
    if (kind.equals("non_split_rounding") || (changes() && random.nextInt(3) == 0)) {
      parts.add(
          "max_non_split_rounding_mb:"
              + List.of(128, 64, 32, 21).get(random.nextInt(changes() ? 3 : 4)));
    }
    if (uses("gc")) {
      parts.add("garbage_collection_threshold:0." + (1 + random.nextInt(9)));
    }
    if (uses("roundup")) {
      parts.add("roundup_power2_divisions:" + (1 << random.nextInt(6)));
    } else if (kind.equals("roundup_list")) {
      parts.add(
          "roundup_power2_divisions:[%d:%d,%d:%d,>:%d]"
              .formatted(
                  1 << random.nextInt(4),
                  1 << random.nextInt(5),
                  32 << random.nextInt(6),
                  1 << random.nextInt(5),
                  1 << random.nextInt(4)));
    }
    if (kind.equals("fraction_key")) {
      parts.add("per_process_memory_fraction:" + (0.05 + random.nextInt(90) / 100.0));
    }
    if (uses("large_segment")) {
      // Blocks of this size must be among those that may be split, now and after a change.
      int segment = List.of(20, 32, 64, 128, 256).get(random.nextInt(changes() ? 2 : 5));
      int most = Math.min(segment, maxSplit);
      // CUDA makes pages of expandable segments in steps of 2 MiB only.
      parts.add("large_segment_size_mb:" + (expandable ? most / 2 * 2 : most));
    }
    if (uses("throw")) {
      parts.add("throw_on_cudamalloc_oom:True");
    }
    return String.join(",", parts);
  }

  private boolean uses(String setting) {
    return kind.equals(setting) || (isMixed() && random.nextInt(3) == 0);
  }

  private void call() {
    int what = random.nextInt(1000);
    boolean full = live.size() >= MAX_LIVE;
    if (changes() && random.nextInt(200) == 0) {
      change();
    } else if (captures() && random.nextInt(30) == 0) {
      capture();
    } else if (what < 500 && !full) {
      allocate();
    } else if (what < 900) {
      free();
    } else if (what < 940) {
      complete();
    } else if (what < 950 && random.nextInt(4) == 0) {
      add(Kind.EMPTY_CACHE, 0, 0, 0);
    } else if (what < 952) {
      for (int i = live.size() * random.nextInt(10) / 10; i > 0; i--) {
        free();
      }
    } else if (kind.contains("pools")) {
      pool();
    }
  }

  private void change() {
    if (random.nextInt(3) == 0) {
      add(
          Kind.SET_FRACTION,
          0,
          random.nextInt(5) == 0 ? 1_000_000 : 50_000 + random.nextInt(900_000),
          0);
    } else {
      add(Kind.SET_CONF, confs.size(), 0, 0);
      confs.add(conf());
    }
  }

  /** Begins or ends a capture, or drops a graph. While one is made, PyTorch may not wait. */
  private void capture() {
    if (capturing > 0) {
      if (open.getFirst() == capturedPool) {
        add(Kind.END_CAPTURE, open.pop(), 0, capturing);
        capturing = 0;
        capturedPool = 0;
      }
    } else if (random.nextInt(3) > 0) {
      int pool =
          !graphs.isEmpty() && random.nextBoolean()
              ? List.copyOf(graphs.keySet()).get(random.nextInt(graphs.size()))
              : ++poolsMade;
      graphs.merge(pool, 1, Integer::sum);
      capturing = 1 + random.nextInt(streams - 1);
      capturedPool = pool;
      open.push(pool);
      add(Kind.BEGIN_CAPTURE, pool, 0, capturing);
    } else if (!graphs.isEmpty()) {
      int pool = List.copyOf(graphs.keySet()).get(random.nextInt(graphs.size()));
      if (isReleased(pool)) {
        graphs.computeIfPresent(pool, (_, count) -> count == 1 ? null : count - 1);
        add(Kind.DROP_GRAPH, pool, 0, 0);
      }
    }
  }

  private void add(Kind what, int id, long bytes, int stream) {
    calls.add(new AllocatorCall(what, id, bytes, stream));
  }

  private void allocate() {
    int id = allocations++;
    int stream = random.nextInt(3) == 0 ? random.nextInt(streams) : capturing;
    current = stream;
    add(Kind.ALLOCATE, id, bytes(), stream);
    if (!open.isEmpty()) {
      poolOf.put(id, open.peek());
    }
    streamOf.put(id, stream);
    live.add(id);
    if (streams > 1 && !kind.equals("captures")) {
      for (int i = random.nextInt(6) - 3; i > 0; i--) {
        use(id);
      }
    }
  }

  private long bytes() {
    int what = random.nextInt(100);
    if (what < 2) {
      // Around the bounds at which rules change.
      long bound = List.of(512L, MIB, 2 * MIB, 10 * MIB, 20 * MIB, 32 * MIB).get(random.nextInt(6));
      return bound - 1 + random.nextInt(3);
    }
    int small = List.of(30, 60, 90, 5).get(sizes);
    if (what < small) {
      return 1L + random.nextInt(1 << (4 + random.nextInt(17)));
    }
    return what < 97 ? 1 + random.nextLong(MIB << random.nextInt(7)) : random.nextLong(900 * MIB);
  }

  private void use(int id) {
    int stream = random.nextInt(streams);
    List<Integer> uses = usesOf.computeIfAbsent(id, _ -> new ArrayList<>());
    if (stream != Objects.requireNonNull(streamOf.get(id)) && !uses.contains(stream)) {
      uses.add(stream);
      if (isInCapture()) {
        usedInCapture.add(id);
      }
      add(Kind.USE, id, 0, stream);
    }
  }

  private void free() {
    if (live.isEmpty()) {
      return;
    }
    // Both the newest and any: programs free in either order.
    int at = random.nextInt(3) == 0 ? live.size() - 1 : random.nextInt(live.size());
    int id = live.get(at);
    if (usedInCapture.contains(id) && !isInCapture()) {
      return;
    }
    live.set(at, live.getLast());
    live.removeLast();
    add(Kind.FREE, id, 0, 0);
    usesOf.getOrDefault(id, List.of()).forEach(stream -> pending.get(stream).add(id));
  }

  private void complete() {
    int stream = random.nextInt(streams);
    Deque<Integer> waiting = pending.get(stream);
    int last = -1;
    for (int i = waiting.isEmpty() ? 0 : 1 + random.nextInt(waiting.size()); i > 0; i--) {
      last = waiting.remove();
    }
    if (last >= 0) {
      add(Kind.COMPLETE, last, 0, stream);
    }
  }

  private void pool() {
    int depth = kind.equals("pools_nested") || captures() ? 3 : 1;
    int what = random.nextInt(10);
    if (what < 4 && open.size() < depth) {
      int pool = pool(what);
      if (!open.contains(pool)) {
        open.push(pool);
        add(Kind.BEGIN_POOL, pool, 0, 0);
      }
    } else if (what < 9 && !open.isEmpty() && open.getFirst() != capturedPool) {
      add(Kind.END_POOL, open.pop(), 0, 0);
    } else if (what == 9 && !pools.isEmpty()) {
      int pool = pools.get(random.nextInt(pools.size()));
      if (!open.contains(pool) && isReleased(pool) && !isInCapture()) {
        pools.remove(Integer.valueOf(pool));
        poolForEmergencies = pool == poolForEmergencies ? 0 : poolForEmergencies;
        add(Kind.RELEASE_POOL, pool, 0, 0);
      }
    }
  }

  /** PyTorch 2.14 ends the process where a pool is given up in a capture. */
  private boolean isInCapture() {
    return capturing > 0 && capturing == current;
  }

  /**
   * Whether a pool may be given up. PyTorch 2.14 forgets a pool of expandable segments while blocks
   * of it are live, and breaks at their free.
   */
  private boolean isReleased(int pool) {
    return !(kind.contains("expandable") || changes() || captures())
        || live.stream().noneMatch(id -> poolOf.getOrDefault(id, 0) == pool);
  }

  private int pool(int what) {
    if (!pools.isEmpty() && (what > 0 || pools.size() > 4)) {
      return pools.get(random.nextInt(pools.size()));
    }
    int pool = ++poolsMade;
    pools.add(pool);
    Kind made =
        switch (kind) {
          case "pools_on_oom" ->
              poolForEmergencies == 0 ? Kind.MAKE_POOL_FOR_EMERGENCIES : Kind.MAKE_POOL;
          case "pools_no_split" ->
              random.nextBoolean() ? Kind.MAKE_POOL_WITHOUT_SPLITS : Kind.MAKE_POOL;
          default -> Kind.MAKE_POOL;
        };
    if (made == Kind.MAKE_POOL_FOR_EMERGENCIES) {
      poolForEmergencies = pool;
    }
    add(made, pool, 0, 0);
    return pool;
  }
}
