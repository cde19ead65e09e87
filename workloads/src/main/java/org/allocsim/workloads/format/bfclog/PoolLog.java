package org.allocsim.workloads.format.bfclog;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.jspecify.annotations.Nullable;

/**
 * Requests and effects of one allocator in the order in which it served them.
 *
 * <p>The lines about a request are written under the allocator's lock, those about a free before it
 * takes the lock, except for merges and the picture. A free of which the log shows neither may thus
 * have happened at any time until the thread's next line: it waits, and each request that is served
 * meanwhile shows whether the free came before it (the usual case) or cannot have.
 */
final class PoolLog {
  /** A free whose line was read. */
  static final class Freeing {
    final PoolLog pool;
    final long address;
    final int allocation;
    final long timeNanos;
    final long line;
    private boolean done;
    private boolean moved;
    private final List<BfcEffect.Merge> merges = new ArrayList<>(2);
    private int effect = -1;

    Freeing(PoolLog pool, long address, int allocation, long timeNanos, long line) {
      this.pool = pool;
      this.address = address;
      this.allocation = allocation;
      this.timeNanos = timeNanos;
      this.line = line;
    }

    private boolean mergedWith(long neighbour) {
      return merges.stream()
          .anyMatch(m -> m.lowerAddress() == neighbour || m.upperAddress() == neighbour);
    }
  }

  private final String name;
  private final boolean keepsEffects;
  private final ChunkModel model = new ChunkModel();
  private final Map<Long, Integer> live = new HashMap<>();
  private final List<Freeing> waiting = new ArrayList<>();

  /** The free whose merges are being read; its place in the order is known. */
  private @Nullable Freeing merging;

  private long mergingLine;
  private long mergingNanos;

  private final List<BfcEffect> effects = new ArrayList<>();
  private final AllocationTrace.Builder rows = new AllocationTrace.Builder().ofPyTorch(false);
  private long lastNanos;
  private int requests;
  private int moved;
  private int implied;
  private int unknown;
  private int failed;

  PoolLog(String name, boolean keepsEffects) {
    this.name = name;
    this.keepsEffects = keepsEffects;
  }

  String name() {
    return name;
  }

  /** Requests so far. */
  int requests() {
    return requests;
  }

  /** Frees whose place in the order is not where their line stands. */
  int moved() {
    return moved;
  }

  /** Frees that the log does not show, although their memory was handed out again. */
  int implied() {
    return implied;
  }

  /** Frees of memory that was handed out before the log begins. */
  int unknown() {
    return unknown;
  }

  /** Requests that failed. */
  int failed() {
    return failed;
  }

  /** Whether the chunks could be followed to the end, so that the order is sure. */
  boolean isFollowed() {
    return !model.isLost();
  }

  List<BfcEffect> effects() {
    return effects;
  }

  /** The requests as a trace of one device; the pool takes nothing more afterwards. */
  AllocationTrace.Builder rows() {
    return rows;
  }

  boolean isLive(long address) {
    return live.containsKey(address);
  }

  /**
   * A request was served, or failed.
   *
   * @param address where, 0 where it failed
   * @param region the region that was obtained for it, or null
   * @return index of its effect
   */
  int allocated(
      long timeNanos,
      long line,
      long requestedBytes,
      long address,
      BfcEffect.@Nullable Region region) {
    flush();
    if (region != null) {
      model.addRegion(region.address(), region.bytes());
    }
    if (address != 0) {
      settle(address, requestedBytes);
      if (live.containsKey(address)) {
        implied++;
        apply(new Freeing(this, address, live.remove(address), timeNanos, line), line, timeNanos);
      }
    }
    if (keepsEffects && region != null) {
      effects.add(region);
    }
    at(timeNanos);
    int allocation = rows.allocate(requestedBytes, 0, PoolId.DEFAULT);
    requests++;
    if (address != 0) {
      live.put(address, allocation);
      model.take(address, requestedBytes);
    } else if (requestedBytes > 0) {
      failed++;
    }
    if (keepsEffects) {
      effects.add(new BfcEffect.Allocation(line, allocation, requestedBytes, address, -1, ""));
    }
    return effects.size() - 1;
  }

  /** Applies the waiting frees that came before a request. */
  private void settle(long address, long requestedBytes) {
    for (Freeing freeing : List.copyOf(waiting)) {
      settle(freeing, model.wasFreedLater(freeing.address, address, requestedBytes));
    }
  }

  /** A free begins; null where the log does not show the allocation. */
  @Nullable Freeing freeing(long timeNanos, long line, long address) {
    Integer allocation = live.remove(address);
    if (allocation == null) {
      unknown++;
      return null;
    }
    Freeing freeing = new Freeing(this, address, allocation, timeNanos, line);
    waiting.add(freeing);
    return freeing;
  }

  /** A free has happened by now; where it merged, all its merges were read. */
  void finish(Freeing freeing, long timeNanos, long line) {
    flush();
    if (freeing.moved) {
      apply(freeing, line, timeNanos);
    } else {
      apply(freeing, freeing.line, freeing.timeNanos);
    }
  }

  /** The free merged two chunks. */
  void merged(Freeing freeing, long timeNanos, long line, BfcEffect.Merge merge) {
    if (freeing.done) {
      return;
    }
    if (merging != freeing) {
      flush();
      merging = freeing;
      mergingLine = line;
      mergingNanos = timeNanos;
    }
    freeing.merges.add(merge);
  }

  /** Applies the free whose merges were read, after those waiting ones that came before it. */
  private void flush() {
    if (merging == null) {
      return;
    }
    Freeing freeing = merging;
    merging = null;
    for (Freeing other : List.copyOf(waiting)) {
      if (other != freeing) {
        boolean isLater =
            !freeing.mergedWith(other.address)
                && (model.touch(freeing.address, other.address)
                    || model.hasFreeNeighbour(other.address));
        settle(other, isLater);
      }
    }
    apply(freeing, mergingLine, mergingNanos);
  }

  private void settle(Freeing freeing, boolean isLater) {
    if (isLater) {
      moved += freeing.moved ? 0 : 1;
      freeing.moved = true;
    } else {
      apply(freeing, freeing.line, freeing.timeNanos);
    }
  }

  /** The picture after a free, which {@link #finish} has applied. */
  void picture(Freeing freeing, String picture) {
    if (keepsEffects) {
      BfcEffect.Free free = (BfcEffect.Free) effects.get(freeing.effect);
      effects.set(
          freeing.effect,
          new BfcEffect.Free(
              free.line(), free.allocation(), free.address(), free.merges(), picture));
    }
  }

  /** The picture after a request. */
  void picture(int effect, String picture) {
    if (keepsEffects) {
      BfcEffect.Allocation served = (BfcEffect.Allocation) effects.get(effect);
      effects.set(effect, served.with(served.peakBytes(), picture));
    }
  }

  /** The peak that was announced with a request. */
  void peak(int effect, long peakBytes) {
    if (keepsEffects) {
      BfcEffect.Allocation served = (BfcEffect.Allocation) effects.get(effect);
      effects.set(effect, served.with(peakBytes, served.picture()));
    }
  }

  private void apply(Freeing freeing, long line, long timeNanos) {
    if (freeing.done) {
      return;
    }
    freeing.done = true;
    waiting.remove(freeing);
    model.free(freeing.address);
    at(timeNanos);
    rows.free(freeing.allocation);
    if (keepsEffects) {
      freeing.effect = effects.size();
      effects.add(
          new BfcEffect.Free(
              line, freeing.allocation, freeing.address, List.copyOf(freeing.merges), ""));
    }
  }

  /** Sets the time of the next row; time does not go back. */
  private void at(long timeNanos) {
    lastNanos = Math.max(lastNanos, timeNanos);
    rows.at(0, lastNanos, 0);
  }

  /** Applies what waits at the end of the log. */
  void end() {
    flush();
    for (Freeing freeing : List.copyOf(waiting)) {
      apply(freeing, freeing.line, freeing.timeNanos);
    }
  }
}
