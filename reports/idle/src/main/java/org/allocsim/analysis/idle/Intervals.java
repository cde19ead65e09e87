package org.allocsim.analysis.idle;

import java.util.Arrays;

/** Intervals of time that do not touch, in their order. */
final class Intervals {
  private long[] begins = new long[64];
  private long[] ends = new long[64];
  private int count;

  /** Adds an interval that begins no earlier than those before it, or joins it with the last. */
  void add(long begin, long end) {
    if (end <= begin) {
      return;
    }
    if (count > 0 && begin <= ends[count - 1]) {
      ends[count - 1] = Math.max(ends[count - 1], end);
      return;
    }
    if (count == begins.length) {
      begins = Arrays.copyOf(begins, count * 2);
      ends = Arrays.copyOf(ends, count * 2);
    }
    begins[count] = begin;
    ends[count++] = end;
  }

  int count() {
    return count;
  }

  long begin(int interval) {
    return begins[interval];
  }

  long end(int interval) {
    return ends[interval];
  }

  /** The first interval that ends after a moment; the count where none does. */
  int firstAfter(long moment) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ends[middle] <= moment) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The part of a stretch that they cover. */
  long coveredNanos(long from, long to) {
    long covered = 0;
    for (int i = firstAfter(from); i < count && begins[i] < to; i++) {
      covered += Math.min(ends[i], to) - Math.max(begins[i], from);
    }
    return covered;
  }
}
