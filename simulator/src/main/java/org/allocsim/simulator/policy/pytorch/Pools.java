package org.allocsim.simulator.policy.pytorch;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.stats.BlockEffects;
import org.allocsim.simulator.trace.PoolId;
import org.jspecify.annotations.Nullable;

/** The default pool and the private pools of one device, by pool number. */
final class Pools {
  final FreeLists defaultLists = new FreeLists();
  final BlockPool defaultSmall;
  final BlockPool defaultLarge;

  private final Map<Integer, PrivatePool> privatePools = new TreeMap<>();

  /** Those whose last owner is gone. */
  private final GivenUpPools givenUp = new GivenUpPools();

  private final Map<Integer, PrivatePoolOptions> options = new TreeMap<>();

  private final PyTorchVersion version;

  /** Whether private pools grow in place. */
  private boolean privateGrow;

  /** Whether those that do not are split as if they did. */
  private boolean privateSplitFinely;

  /**
   * The empty default pool.
   *
   * @param grow whether pools get their memory from segments that grow in place
   * @param version decides whether private pools do, too, unless they have an allocator of their
   *     own, and how they are split
   * @param listener what happens to their blocks is reported to it
   */
  Pools(boolean grow, PyTorchVersion version, EffectListener listener) {
    defaultSmall =
        new BlockPool(0, true, null, grow, grow, BlockEffects.to(listener, true), defaultLists);
    defaultLarge =
        new BlockPool(0, false, null, grow, grow, BlockEffects.to(listener, false), defaultLists);
    this.version = version;
    grow(grow);
  }

  /** Changes whether pools get their memory from segments that grow in place. */
  void grow(boolean grow) {
    privateGrow = grow && version.hasExpandablePrivatePools();
    privateSplitFinely = grow && version.splitsPrivatePoolsByTheSetting();
    defaultSmall.grow(grow, grow);
    defaultLarge.grow(grow, grow);
    privatePools.values().forEach(this::growPrivate);
  }

  private void growPrivate(PrivatePool pool) {
    boolean grows = privateGrow && !pool.options.customAllocator();
    pool.small.grow(grows, grows || privateSplitFinely);
    pool.large.grow(grows, grows || privateSplitFinely);
  }

  /** Declares how a private pool is made. */
  void define(int number, PrivatePoolOptions newOptions) {
    options.put(number, newOptions);
  }

  /** The pool of one kind that serves requests routed to a number; made where it is missing. */
  BlockPool obtain(int number, boolean small) {
    if (number == 0) {
      return small ? defaultSmall : defaultLarge;
    }
    PrivatePool pool = privatePools.computeIfAbsent(number, this::newPrivate);
    if (pool.releasable) {
      pool.releasable = false;
      givenUp.remove(pool);
    }
    return pool.kind(small);
  }

  private PrivatePool newPrivate(int number) {
    PrivatePoolOptions made = options.getOrDefault(number, PrivatePoolOptions.PLAIN);
    PrivatePool pool = new PrivatePool(number, made, defaultSmall, defaultLarge);
    growPrivate(pool);
    return pool;
  }

  /** The pool of one kind, or null where a private pool does not exist. */
  @Nullable BlockPool find(int number, boolean small) {
    if (number == 0) {
      return small ? defaultSmall : defaultLarge;
    }
    PrivatePool pool = privatePools.get(number);
    return pool == null ? null : pool.kind(small);
  }

  /** A private pool, or null. */
  @Nullable PrivatePool findPrivate(int number) {
    return privatePools.get(number);
  }

  /** The last owner of a private pool is gone. */
  void giveUp(int number, PoolId id) {
    PrivatePool pool = privatePools.computeIfAbsent(number, this::newPrivate);
    if (!pool.releasable) {
      pool.releasable = true;
      givenUp.add(pool, id);
    }
  }

  /**
   * The private pools that were given up, in the order of their release.
   *
   * @param number of the one that is asked for, or 0 for all
   */
  List<PrivatePool> givenUp(int number) {
    if (number == 0) {
      return givenUp.inOrder();
    }
    PrivatePool pool = privatePools.get(number);
    return pool == null || !pool.releasable ? List.of() : List.of(pool);
  }

  /** Forgets a private pool that was given up. */
  void forget(PrivatePool pool) {
    privatePools.remove(pool.number);
    givenUp.remove(pool);
  }

  /** Private pools by ascending number. */
  Collection<PrivatePool> allPrivate() {
    return privatePools.values();
  }

  /** Bytes of free blocks in private pools. */
  long privateFreeBytes() {
    long sum = 0;
    for (PrivatePool pool : privatePools.values()) {
      sum += pool.small.freeBytes() + pool.large.freeBytes();
    }
    return sum;
  }
}
