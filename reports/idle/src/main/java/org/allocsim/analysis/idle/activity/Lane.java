package org.allocsim.analysis.idle.activity;

import java.util.List;

/**
 * What one actor does over time, such as a stream: at each moment one thing, or nothing.
 *
 * @param name what charts call it
 * @param parts what it does, without parts that never happen
 */
public record Lane(String name, List<Part> parts) {
  /** Keeps its own copy. */
  public Lane {
    parts = List.copyOf(parts);
  }

  /**
   * One thing that it does.
   *
   * @param id name in files, by which it has its colour
   * @param words what legends call it
   * @param nanos how long it does so within each column
   */
  @SuppressWarnings("ArrayRecordComponent") // columns, which nobody compares
  public record Part(String id, String words, long[] nanos) {
    /** How long it does so in all. */
    public long totalNanos() {
      long sum = 0;
      for (long each : nanos) {
        sum += each;
      }
      return sum;
    }
  }
}
