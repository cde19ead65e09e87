package org.allocsim.simulator.policy.pytorch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.allocsim.simulator.trace.PoolId;
import org.jspecify.annotations.Nullable;

/**
 * The private pools whose last owner is gone, in the order in which PyTorch releases them: that of
 * the hash map that holds them by their identity ({@code graph_pools_freeable}, PyTorch 2.0 to
 * 2.14). The map hashes with Fibonacci's multiplier and keeps colliding entries by their distance
 * from where they belong (c10/util/flat_hash_map.h), so the order depends on the identities and on
 * how many pools there were at once before.
 *
 * <p>Pools without a number of PyTorch's (see {@link PoolId#isPyTorchs}) come after those with one,
 * by ascending pool number.
 */
final class GivenUpPools {
  /** 2⁶⁴ over the golden ratio. */
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private static final int MIN_BUCKETS = 4;
  private static final int MIN_LOOKUPS = 4;
  private static final int EMPTY = -1;

  private final Map<Integer, PrivatePool> others = new TreeMap<>();

  /** A power of two; 0 until the first pool came. */
  private int buckets;

  private int maxLookups;
  private int count;

  /** One for each bucket, and room after them for those that are pushed out of the last ones. */
  private @Nullable PrivatePool[] slots = new PrivatePool[0];

  /** How far each entry is from where it belongs, or {@link #EMPTY}. */
  private int[] distances = new int[0];

  /** Adds a pool that is not among them. */
  void add(PrivatePool pool, PoolId id) {
    if (id.isPyTorchs()) {
      pool.hash = id.capture() != 0 ? id.capture() : id.user();
      pool.isHashed = true;
      put(pool);
    } else {
      others.put(pool.number, pool);
    }
  }

  /** Takes a pool out, if it is among them. */
  void remove(PrivatePool pool) {
    if (!pool.isHashed) {
      others.remove(pool.number);
      return;
    }
    int slot = indexOf(pool);
    pool.isHashed = false;
    count--;
    int next = slot + 1;
    for (; next < slots.length && distances[next] > 0; slot++, next++) {
      slots[slot] = slots[next];
      distances[slot] = distances[next] - 1;
    }
    slots[slot] = null;
    distances[slot] = EMPTY;
  }

  /** All, in the order of their release. */
  List<PrivatePool> inOrder() {
    List<PrivatePool> found = new ArrayList<>(count + others.size());
    for (PrivatePool pool : slots) {
      if (pool != null) {
        found.add(pool);
      }
    }
    found.addAll(others.values());
    return found;
  }

  private int indexOf(PrivatePool pool) {
    int slot = bucketOf(pool);
    while (slots[slot] != pool) {
      slot++;
    }
    return slot;
  }

  private int bucketOf(PrivatePool pool) {
    return (int) ((MULTIPLIER * pool.hash) >>> (Long.numberOfLeadingZeros(buckets) + 1));
  }

  private void put(PrivatePool added) {
    if (2 * (count + 1) > buckets) {
      grow();
    }
    int slot = bucketOf(added);
    int distance = 0;
    while (distances[slot] >= distance) {
      slot++;
      distance++;
    }
    if (distance == maxLookups) {
      grow();
      put(added);
      return;
    }
    // An entry that is nearer to where it belongs makes room, and goes on to look for its own.
    int place = slot;
    PrivatePool pool = added;
    while (slots[slot] != null) {
      if (distances[slot] < distance) {
        int distanceThere = distances[slot];
        PrivatePool there = slots[slot];
        slots[slot] = pool;
        distances[slot] = distance;
        pool = there;
        distance = distanceThere;
      } else if (distance + 1 >= maxLookups) {
        slots[place] = pool;
        grow();
        put(added);
        return;
      }
      slot++;
      distance++;
    }
    slots[slot] = pool;
    distances[slot] = distance;
    count++;
  }

  private void grow() {
    PrivatePool[] before = slots;
    buckets = Math.max(MIN_BUCKETS, 2 * buckets);
    maxLookups = Math.max(MIN_LOOKUPS, Integer.numberOfTrailingZeros(buckets));
    slots = new PrivatePool[buckets + maxLookups];
    distances = new int[slots.length];
    Arrays.fill(distances, EMPTY);
    count = 0;
    for (PrivatePool pool : before) {
      if (pool != null) {
        put(pool);
      }
    }
  }
}
