package org.allocsim.analysis.leak;

/**
 * When a GPU will be full if memory keeps growing as it did, or, if growth accelerated, as it did
 * in the last third of the iterations. A leak fills it when live memory at its peak reaches the
 * capacity: until then cached memory can be released. Fragmentation fills it with reserved memory.
 * The estimates are iterations, counted as the recording's are, from 0.
 *
 * @param capacityBytes what the allocator may use
 * @param nowBytes what counts towards it at the last iteration
 * @param expected at the estimated slope
 * @param earliest at the upper end of the slope's interval
 * @param latest at the lower end of the slope's interval
 */
public record Forecast(
    long capacityBytes, long nowBytes, long expected, long earliest, long latest) {
  /** Nothing is forecast beyond this. */
  public static final long NEVER = Long.MAX_VALUE;

  static Forecast of(long capacityBytes, long nowBytes, int lastIteration, Trend trend) {
    return new Forecast(
        capacityBytes,
        nowBytes,
        full(capacityBytes - nowBytes, lastIteration, trend.slope()),
        full(capacityBytes - nowBytes, lastIteration, trend.upper()),
        full(capacityBytes - nowBytes, lastIteration, trend.lower()));
  }

  private static long full(long freeBytes, int lastIteration, double slope) {
    if (freeBytes <= 0) {
      return lastIteration;
    }
    double iterations = Math.ceil(freeBytes / slope);
    return slope > 0 && iterations < NEVER - (double) lastIteration
        ? lastIteration + (long) iterations
        : NEVER;
  }
}
