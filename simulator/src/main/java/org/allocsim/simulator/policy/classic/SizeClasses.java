package org.allocsim.simulator.policy.classic;

/** Sizes of slots: so many equal steps between one power of two and the next. */
final class SizeClasses {
  private final int leastLog;
  private final int stepsLog;
  private final int count;

  /**
   * @param leastLog log2 of the smallest class
   * @param mostLog log2 of the largest class
   * @param stepsLog log2 of the classes per doubling
   */
  SizeClasses(int leastLog, int mostLog, int stepsLog) {
    this.leastLog = leastLog;
    this.stepsLog = stepsLog;
    count = ((mostLog - leastLog) << stepsLog) + 1;
  }

  int count() {
    return count;
  }

  /** Slot size of a class. */
  long bytes(int sizeClass) {
    int doublings = sizeClass >> stepsLog;
    long low = 1L << (leastLog + doublings);
    int step = sizeClass & ((1 << stepsLog) - 1);
    return low + (low >> stepsLog) * step;
  }

  /** The smallest class that holds a request, or {@link #count()} where none does. */
  int of(long bytes) {
    if (bytes <= 1L << leastLog) {
      return 0;
    }
    int log = 63 - Long.numberOfLeadingZeros(bytes - 1);
    long low = 1L << log;
    int step = (int) ((bytes - 1 - low) >> (log - stepsLog));
    return Math.min(count, ((log - leastLog) << stepsLog) + step + 1);
  }
}
