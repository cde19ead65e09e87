package org.allocsim.analysis.idle;

import org.allocsim.analysis.idle.timeline.Cause;
import org.allocsim.simulator.column.IntColumn;
import org.allocsim.simulator.column.LongColumn;

/** All gaps of a GPU in their order, as columns; neighbours of one cause are one. */
public final class Gaps {
  private static final Cause[] CAUSES = Cause.values();

  private final LongColumn begins = new LongColumn();
  private final LongColumn ends = new LongColumn();
  private final IntColumn causes = new IntColumn();

  Gaps() {}

  void add(long begin, long end, Cause cause) {
    int last = count() - 1;
    if (last >= 0 && end(last) == begin && cause(last) == cause) {
      ends.set(last, end);
      return;
    }
    begins.add(begin);
    ends.add(end);
    causes.add(cause.ordinal());
  }

  /** Number of gaps. */
  public int count() {
    return ends.count();
  }

  /** When a gap begins. */
  public long begin(int gap) {
    return begins.get(gap);
  }

  /** When it ends. */
  public long end(int gap) {
    return ends.get(gap);
  }

  /** Why the GPU is idle. */
  public Cause cause(int gap) {
    return CAUSES[causes.get(gap)];
  }

  /** The first gap that ends after a moment; the count where none does. */
  public int firstAfter(long moment) {
    return ends.firstAbove(moment);
  }
}
