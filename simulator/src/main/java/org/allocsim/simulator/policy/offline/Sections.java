package org.allocsim.simulator.policy.offline;

import java.util.Arrays;

/**
 * Lifetimes cut into sections: the times at which a largest set of buffers lives together, in
 * order. A buffer lives in a run of sections, and two buffers live together where their runs meet.
 */
final class Sections {
  private final int count;
  private final int[] first;
  private final int[] end;

  /**
   * The sections of some buffers.
   *
   * @param buffers their numbers, ascending
   */
  Sections(Lifetimes lifetimes, int[] buffers) {
    int n = buffers.length;
    long[] ends = new long[n];
    for (int i = 0; i < n; i++) {
      ends[i] = lifetimes.upper()[buffers[i]];
    }
    int[] byEnd = new int[n];
    Arrays.setAll(byEnd, i -> i);
    long[] sortedEnds = ends.clone();
    Placed.sort(sortedEnds, byEnd, n);
    first = new int[n];
    end = new int[n];
    int section = 0;
    boolean grewSinceFree = false;
    int freed = 0;
    for (int i = 0; i < n; i++) {
      while (sortedEnds[freed] <= lifetimes.lower()[buffers[i]]) {
        if (grewSinceFree) {
          section++;
          grewSinceFree = false;
        }
        end[byEnd[freed++]] = section;
      }
      first[i] = section;
      grewSinceFree = true;
    }
    count = n == 0 ? 0 : section + 1;
    while (freed < n) {
      end[byEnd[freed++]] = count;
    }
  }

  /** Number of sections. */
  int count() {
    return count;
  }

  /** First section of the buffer at an index. */
  int first(int index) {
    return first[index];
  }

  /** Section after the last one of the buffer at an index. */
  int end(int index) {
    return end[index];
  }
}
