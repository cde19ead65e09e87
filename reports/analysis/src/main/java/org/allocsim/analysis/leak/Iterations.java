package org.allocsim.analysis.leak;

import java.util.Arrays;

/**
 * The iterations of a program: whole ones, one after the other.
 *
 * @param source how they were found, such as {@code "marker"}
 * @param name what marks them, for people
 * @param boundaries rows of the trace with which the iterations begin, and after the last one the
 *     row with which it has ended
 */
public record Iterations(Source source, String name, int[] boundaries) {
  /** How iterations were found. */
  public enum Source {
    /** A named phase that the program itself marks. */
    MARKER,
    /** A request that comes back at regular distances. */
    PERIOD
  }

  /** Fewest iterations that can show a trend. */
  public static final int FEWEST = Trend.MIN_POINTS;

  /** Keeps its own copy. */
  public Iterations {
    boundaries = boundaries.clone();
  }

  /** Number of iterations. */
  public int count() {
    return boundaries.length - 1;
  }

  /** Row with which an iteration begins, or, for {@link #count()}, with which the last ended. */
  public int begin(int iteration) {
    return boundaries[iteration];
  }

  /** The iteration that a row belongs to; −1 before the first, their number after the last. */
  public int iterationOf(int row) {
    int low = -1;
    int high = count();
    while (low < high) {
      int middle = (low + high + 1) >> 1;
      if (begin(middle) <= row) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  @Override
  public int[] boundaries() {
    return boundaries.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Iterations that
        && source == that.source
        && name.equals(that.name)
        && Arrays.equals(boundaries, that.boundaries);
  }

  @Override
  public int hashCode() {
    return 31 * name.hashCode() + Arrays.hashCode(boundaries);
  }

  @Override
  public String toString() {
    return count() + " by " + source + " " + name;
  }
}
