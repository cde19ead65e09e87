package org.allocsim.analysis.idle.timeline;

import java.util.Arrays;
import org.allocsim.simulator.column.LongColumn;
import org.allocsim.workloads.format.TimeOrder;

/** Intervals of time that do not touch, in their order. */
public final class Intervals {
  private final LongColumn begins = new LongColumn();
  private final LongColumn ends = new LongColumn();

  /** Adds an interval that begins no earlier than those before it, or joins it with the last. */
  public void add(long begin, long end) {
    if (end <= begin) {
      return;
    }
    int last = count() - 1;
    if (last >= 0 && begin <= end(last)) {
      ends.set(last, Math.max(end(last), end));
      return;
    }
    begins.add(begin);
    ends.add(end);
  }

  public int count() {
    return ends.count();
  }

  public long begin(int interval) {
    return begins.get(interval);
  }

  public long end(int interval) {
    return ends.get(interval);
  }

  /** The first interval that ends after a moment; the count where none does. */
  public int firstAfter(long moment) {
    return ends.firstAbove(moment);
  }

  /** These and others. */
  public Intervals with(Intervals others) {
    Intervals both = new Intervals();
    int i = 0;
    int j = 0;
    while (i < count() || j < others.count()) {
      if (j == others.count() || i < count() && begin(i) <= others.begin(j)) {
        both.add(begin(i), end(i++));
      } else {
        both.add(others.begin(j), others.end(j++));
      }
    }
    return both;
  }

  /** The parts of these that others do not cover. */
  public Intervals without(Intervals others) {
    Intervals rest = new Intervals();
    int other = 0;
    for (int i = 0; i < count(); i++) {
      long at = begin(i);
      while (other < others.count() && others.end(other) <= at) {
        other++;
      }
      for (int j = other; j < others.count() && others.begin(j) < end(i); j++) {
        rest.add(at, others.begin(j));
        at = Math.max(at, others.end(j));
      }
      rest.add(at, end(i));
    }
    return rest;
  }

  /** The part of a stretch that they cover. */
  public long coveredNanos(long from, long to) {
    long covered = 0;
    for (int i = firstAfter(from); i < count() && begin(i) < to; i++) {
      covered += Math.min(end(i), to) - Math.max(begin(i), from);
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
