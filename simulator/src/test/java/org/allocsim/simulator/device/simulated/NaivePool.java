package org.allocsim.simulator.device.simulated;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.allocsim.simulator.device.DeviceMemory;

/** The rules of the stream-ordered pool, written down as plainly as possible. */
final class NaivePool {
  private static final long CHUNK = 32L << 20;

  private record Range(long start, long bytes, long changed, long freed) {
    long end() {
      return start + bytes;
    }
  }

  /** A free list; neighbours merge. */
  private final class FreeList {
    private final TreeMap<Long, Range> ranges = new TreeMap<>();

    void add(long start, long bytes) {
      long from = start;
      long to = start + bytes;
      Map.Entry<Long, Range> below = ranges.floorEntry(start);
      if (below != null && below.getValue().end() == start) {
        from = below.getKey();
        ranges.remove(from);
      }
      Range above = ranges.remove(to);
      if (above != null) {
        to = above.end();
      }
      clock++;
      ranges.put(from, new Range(from, to - from, clock, clock));
    }

    Range best(long bytes, Predicate<Range> allowed) {
      return ranges.values().stream()
          .filter(range -> range.bytes >= bytes && allowed.test(range))
          .min(Comparator.comparingLong(Range::bytes).thenComparingLong(Range::changed))
          .orElse(null);
    }

    void take(Range range, long bytes) {
      ranges.remove(range.start);
      if (range.bytes > bytes) {
        clock++;
        long rest = range.start + bytes;
        ranges.put(rest, new Range(rest, range.bytes - bytes, clock, range.freed));
      }
    }

    List<Range> drain() {
      List<Range> all = new ArrayList<>(ranges.values());
      all.sort(Comparator.comparingLong(Range::freed).reversed());
      ranges.clear();
      return all;
    }
  }

  private final long base;
  private final long capacityBytes;
  private final boolean opportunistic;
  private final boolean internalDependencies;
  private final Map<Integer, FreeList> own = new LinkedHashMap<>();
  private final FreeList shared = new FreeList();
  private final TreeSet<Long> backed = new TreeSet<>();
  private final Map<Long, Long> live = new TreeMap<>();

  private long clock;
  private long spare;
  long thresholdBytes;
  long reservedBytes;
  long usedBytes;

  NaivePool(long base, long capacityBytes, boolean opportunistic, boolean internalDependencies) {
    this.base = base;
    this.capacityBytes = capacityBytes;
    this.opportunistic = opportunistic;
    this.internalDependencies = internalDependencies;
    shared.add(0, 2 * ((capacityBytes + CHUNK - 1) / CHUNK * CHUNK));
  }

  private FreeList list(int stream) {
    return own.computeIfAbsent(stream, s -> new FreeList());
  }

  long allocate(long requested, int stream) {
    long bytes = (requested + 511) / 512 * 512;
    FreeList from = list(stream);
    Range range = from.best(bytes, any -> true);
    if (range == null) {
      from = shared;
      range = shared.best(bytes, this::isBacked);
    }
    for (Map.Entry<Integer, FreeList> other : own.entrySet()) {
      if (range == null && opportunistic && other.getKey() != stream) {
        from = other.getValue();
        range = from.best(bytes, any -> true);
      }
    }
    if (range == null) {
      if (opportunistic) {
        own.keySet().forEach(this::merge);
      }
      from = shared;
      range = backedShared(bytes);
    }
    for (Map.Entry<Integer, FreeList> other : own.entrySet()) {
      if (range == null && internalDependencies && other.getKey() != stream) {
        from = other.getValue();
        range = from.best(bytes, any -> true);
      }
    }
    if (range == null) {
      return DeviceMemory.REFUSED;
    }
    from.take(range, bytes);
    live.put(range.start, requested);
    usedBytes += requested;
    return base + range.start;
  }

  private Range backedShared(long bytes) {
    Range range = shared.best(bytes, any -> true);
    if (range == null) {
      return null;
    }
    boolean served = back(range.start, range.start + bytes);
    if (!served) {
      release(thresholdBytes);
    }
    return served ? range : null;
  }

  private boolean back(long from, long to) {
    TreeSet<Long> block = chunks(from, to);
    TreeSet<Long> need = new TreeSet<>(block);
    need.removeAll(backed);
    long wanted = need.size() - Math.min(spare, need.size());
    List<Long> moved = new ArrayList<>();
    for (long chunk : idleChunks()) {
      if (moved.size() < wanted && !block.contains(chunk)) {
        moved.add(chunk);
      }
    }
    long fresh = wanted - moved.size();
    long made = Math.min(fresh, (capacityBytes - reservedBytes) / CHUNK);
    moved.forEach(backed::remove);
    spare += moved.size() + made;
    reservedBytes += made * CHUNK;
    if (made < fresh) {
      return false;
    }
    spare -= need.size();
    backed.addAll(need);
    return true;
  }

  void free(long address, int stream) {
    long bytes = live.remove(address - base);
    usedBytes -= bytes;
    list(stream).add(address - base, (bytes + 511) / 512 * 512);
  }

  void synchronizeStream(int stream) {
    if (own.containsKey(stream) && merge(stream)) {
      release(thresholdBytes);
    }
  }

  void synchronizeDevice() {
    own.keySet().forEach(this::synchronizeStream);
  }

  void trim(long keptBytes) {
    release(keptBytes);
  }

  private boolean merge(int stream) {
    List<Range> ranges = own.get(stream).drain();
    ranges.forEach(range -> shared.add(range.start, range.bytes));
    return !ranges.isEmpty();
  }

  private void release(long keptBytes) {
    while (spare > 0 && reservedBytes > keptBytes) {
      spare--;
      reservedBytes -= CHUNK;
    }
    for (long chunk : idleChunks()) {
      if (reservedBytes > keptBytes) {
        backed.remove(chunk);
        reservedBytes -= CHUNK;
      }
    }
  }

  /** Chunks with memory wholly inside one shared range, highest first. */
  private List<Long> idleChunks() {
    return backed.descendingSet().stream()
        .filter(chunk -> {
          Map.Entry<Long, Range> range = shared.ranges.floorEntry(chunk * CHUNK);
          return range != null && range.getValue().end() >= (chunk + 1) * CHUNK;
        })
        .toList();
  }

  private boolean isBacked(Range range) {
    return backed.containsAll(chunks(range.start, range.end()));
  }

  private static TreeSet<Long> chunks(long from, long to) {
    TreeSet<Long> chunks = new TreeSet<>();
    for (long chunk = from / CHUNK; chunk * CHUNK < to; chunk++) {
      chunks.add(chunk);
    }
    return chunks;
  }
}
