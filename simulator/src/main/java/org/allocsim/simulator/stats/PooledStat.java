package org.allocsim.simulator.stats;

/**
 * A counter of {@code torch.cuda.memory_stats()} that is kept for each pool kind. That of both
 * together is their sum, all but its peak: a change touches one pool's figures and this peak only.
 */
final class PooledStat {
  private final Stat smallPool = new Stat();
  private final Stat largePool = new Stat();
  private long peak;

  void increase(long amount, boolean small) {
    (small ? smallPool : largePool).increase(amount);
    peak = Math.max(peak, current());
  }

  void decrease(long amount, boolean small) {
    (small ? smallPool : largePool).decrease(amount);
  }

  /** Counts a net change: up or down, or not at all where it is zero. */
  void change(long net, boolean small) {
    if (net > 0) {
      increase(net, small);
    } else {
      decrease(-net, small);
    }
  }

  /** Value of both pools. */
  long current() {
    return smallPool.current + largePool.current;
  }

  /** Highest value of both pools together. */
  long peak() {
    return peak;
  }

  void resetPeak() {
    smallPool.resetPeak();
    largePool.resetPeak();
    peak = current();
  }

  void resetAccumulated() {
    smallPool.resetAccumulated();
    largePool.resetAccumulated();
  }

  /** A field by the names that the part and it have inside a key. */
  long field(String part, String name) {
    return switch (part) {
      case "all" -> name.equals("peak") ? peak : smallPool.field(name) + largePool.field(name);
      case "small_pool" -> smallPool.field(name);
      case "large_pool" -> largePool.field(name);
      default -> throw new IllegalArgumentException("a statistic has no part '" + part + "'");
    };
  }
}
