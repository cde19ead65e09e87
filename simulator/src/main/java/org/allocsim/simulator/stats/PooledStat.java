package org.allocsim.simulator.stats;

/** A counter kept over all memory and for the small and the large pool. */
final class PooledStat {
  final Stat all = new Stat();
  final Stat smallPool = new Stat();
  final Stat largePool = new Stat();

  void increase(long amount, boolean small) {
    all.increase(amount);
    (small ? smallPool : largePool).increase(amount);
  }

  void decrease(long amount, boolean small) {
    all.decrease(amount);
    (small ? smallPool : largePool).decrease(amount);
  }

  /** Counts a net change: up or down, or not at all where it is zero. */
  void change(long net, boolean small) {
    if (net > 0) {
      increase(net, small);
    } else if (net < 0) {
      decrease(-net, small);
    }
  }

  void resetPeak() {
    all.resetPeak();
    smallPool.resetPeak();
    largePool.resetPeak();
  }

  void resetAccumulated() {
    all.resetAccumulated();
    smallPool.resetAccumulated();
    largePool.resetAccumulated();
  }

  /** A part by the name it has inside a key. */
  Stat part(String name) {
    return switch (name) {
      case "all" -> all;
      case "small_pool" -> smallPool;
      case "large_pool" -> largePool;
      default -> throw new IllegalArgumentException("a statistic has no part '" + name + "'");
    };
  }
}
