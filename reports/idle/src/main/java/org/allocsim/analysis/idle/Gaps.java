package org.allocsim.analysis.idle;

import java.util.Arrays;
import org.allocsim.analysis.idle.timeline.Cause;

/** All gaps of a GPU in their order, as columns; neighbours of one cause are one. */
public final class Gaps {
  private static final Cause[] CAUSES = Cause.values();

  private long[] begins = new long[64];
  private long[] ends = new long[64];
  private byte[] causes = new byte[64];
  private int count;

  Gaps() {}

  void add(long begin, long end, Cause cause) {
    if (count > 0 && ends[count - 1] == begin && cause(count - 1) == cause) {
      ends[count - 1] = end;
      return;
    }
    if (count == begins.length) {
      begins = Arrays.copyOf(begins, count * 2);
      ends = Arrays.copyOf(ends, count * 2);
      causes = Arrays.copyOf(causes, count * 2);
    }
    begins[count] = begin;
    ends[count] = end;
    causes[count++] = (byte) cause.ordinal();
  }

  /** Number of gaps. */
  public int count() {
    return count;
  }

  /** When a gap begins. */
  public long begin(int gap) {
    return begins[gap];
  }

  /** When it ends. */
  public long end(int gap) {
    return ends[gap];
  }

  /** Why the GPU is idle. */
  public Cause cause(int gap) {
    return CAUSES[causes[gap]];
  }

  /** The first gap that ends after a moment; the count where none does. */
  public int firstAfter(long moment) {
    int place = Arrays.binarySearch(ends, 0, count, moment);
    return place >= 0 ? place + 1 : -1 - place;
  }
}
