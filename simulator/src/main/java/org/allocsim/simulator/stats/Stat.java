package org.allocsim.simulator.stats;

/** One counter of {@code torch.cuda.memory_stats()}: current value, peak, and sums of changes. */
final class Stat {
  long current;
  long peak;
  long allocated;
  long freed;

  void increase(long amount) {
    current += amount;
    if (current > peak) {
      peak = current;
    }
    allocated += amount;
  }

  void decrease(long amount) {
    current -= amount;
    freed += amount;
  }

  void resetPeak() {
    peak = current;
  }

  void resetAccumulated() {
    allocated = 0;
    freed = 0;
  }

  /** A field by the name it has at the end of a key. */
  long field(String name) {
    return switch (name) {
      case "current" -> current;
      case "peak" -> peak;
      case "allocated" -> allocated;
      case "freed" -> freed;
      default -> throw new IllegalArgumentException("a statistic has no field '" + name + "'");
    };
  }
}
