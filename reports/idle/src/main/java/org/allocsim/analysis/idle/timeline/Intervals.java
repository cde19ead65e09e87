package org.allocsim.analysis.idle.timeline;

import java.util.Arrays;
import org.allocsim.workloads.format.TimeOrder;

/** Intervals of time that do not touch, in their order. */
public final class Intervals {
  private long[] begins = new long[64];
  private long[] ends = new long[64];
  private int count;

  /** Adds an interval that begins no earlier than those before it, or joins it with the last. */
  public void add(long begin, long end) {
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

  public int count() {
    return count;
  }

  public long begin(int interval) {
    return begins[interval];
  }

  public long end(int interval) {
    return ends[interval];
  }

  /** The first interval that ends after a moment; the count where none does. */
  public int firstAfter(long moment) {
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

  /** These and others. */
  public Intervals with(Intervals others) {
    Intervals both = new Intervals();
    int i = 0;
    int j = 0;
    while (i < count || j < others.count) {
      if (j == others.count || i < count && begins[i] <= others.begins[j]) {
        both.add(begins[i], ends[i++]);
      } else {
        both.add(others.begins[j], others.ends[j++]);
      }
    }
    return both;
  }

  /** The parts of these that others do not cover. */
  public Intervals without(Intervals others) {
    Intervals rest = new Intervals();
    int other = 0;
    for (int i = 0; i < count; i++) {
      long at = begins[i];
      while (other < others.count && others.ends[other] <= at) {
        other++;
      }
      for (int j = other; j < others.count && others.begins[j] < ends[i]; j++) {
        rest.add(at, others.begins[j]);
        at = Math.max(at, others.ends[j]);
      }
      rest.add(at, ends[i]);
    }
    return rest;
  }

  /** The part of a stretch that they cover. */
  public long coveredNanos(long from, long to) {
    long covered = 0;
    for (int i = firstAfter(from); i < count && begins[i] < to; i++) {
      covered += Math.min(ends[i], to) - Math.max(begins[i], from);
    }
    return covered;
  }

  /** The time that something is busy whose intervals begin in order of time. */
  public static long unionNanos(long[] begins, long[] ends, int count) {
    Intervals union = new Intervals();
    long[] sorted = Arrays.copyOf(begins, count);
    int[] order = TimeOrder.of(sorted, count);
    for (int i : order) {
      union.add(begins[i], ends[i]);
    }
    long sum = 0;
    for (int i = 0; i < union.count(); i++) {
      sum += union.end(i) - union.begin(i);
    }
    return sum;
  }
}
