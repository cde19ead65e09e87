package org.allocsim.simulator.policy.classic;

/** Sizes of slots: so many equal steps between one power of two and the next. */
final class SizeClasses {
  private final int minLog;
  private final int stepsLog;
  private final int count;

  /**
   * @param minLog log2 of the smallest class
   * @param maxLog log2 of the largest class
   * @param stepsLog log2 of the classes per doubling
   */
  SizeClasses(int minLog, int maxLog, int stepsLog) {
    this.minLog = minLog;
    this.stepsLog = stepsLog;
    count = ((maxLog - minLog) << stepsLog) + 1;
  }

  int count() {
    return count;
  }

  /** Slot size of a class. */
  long bytes(int sizeClass) {
    int doublings = sizeClass >> stepsLog;
    long low = 1L << (minLog + doublings);
    int step = sizeClass & ((1 << stepsLog) - 1);
    return low + (low >> stepsLog) * step;
  }

  /** The smallest class that holds a request, or {@link #count()} where none does. */
  int of(long bytes) {
    if (bytes <= 1L << minLog) {
      return 0;
    }
    int log = 63 - Long.numberOfLeadingZeros(bytes - 1);
    long low = 1L << log;
    int step = (int) ((bytes - 1 - low) >> (log - stepsLog));
    return Math.min(count, ((log - minLog) << stepsLog) + step + 1);
  }
}
