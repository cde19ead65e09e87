package org.allocsim.simulator.stats;

/** One counter of {@code torch.cuda.memory_stats()}: current value, peak, and sums of changes. */
final class Stat {
  long current;
  long peak;
  long allocated;

  /** Value from which on increases and decreases are added up. */
  private long accumulatedFrom;

  void increase(long amount) {
    current += amount;
    allocated += amount;
    peak = Math.max(peak, current);
  }

  void decrease(long amount) {
    current -= amount;
  }

  /** Sum of all decreases: what was added and is not there any more. */
  long freed() {
    return accumulatedFrom + allocated - current;
  }

  void resetPeak() {
    peak = current;
  }

  void resetAccumulated() {
    accumulatedFrom = current;
    allocated = 0;
  }

  /** A field by the name it has at the end of a key. */
  long field(String name) {
    return switch (name) {
      case "current" -> current;
      case "peak" -> peak;
      case "allocated" -> allocated;
      case "freed" -> freed();
      default -> throw new IllegalArgumentException("a statistic has no field '" + name + "'");
    };
  }
}
