package org.allocsim.analysis.idle;

import java.util.Arrays;
import org.allocsim.workloads.format.TimeOrder;

/** When a GPU computes, communicates, copies and idles. */
final class GpuTime {
  private final Intervals compute = new Intervals();
  private final Intervals kernels = new Intervals();
  private final Intervals all = new Intervals();

  GpuTime(Timeline timeline) {
    for (int work = 0; work < timeline.workCount(); work++) {
      long begin = timeline.workStart(work);
      long end = timeline.workEnd(work);
      all.add(begin, end);
      if (!timeline.workKind(work).isCopy()) {
        kernels.add(begin, end);
        if (timeline.workKind(work) == WorkKind.COMPUTE) {
          compute.add(begin, end);
        }
      }
    }
  }

  /** When the GPU does anything. */
  Intervals all() {
    return all;
  }

  StepTime within(String name, long begin, long end) {
    long computing = compute.coveredNanos(begin, end);
    long running = kernels.coveredNanos(begin, end);
    long busy = all.coveredNanos(begin, end);
    return new StepTime(
        name, end - begin, computing, running - computing, busy - running, end - begin - busy);
  }

  /** The time that something is busy whose intervals begin in order of time. */
  static long unionNanos(long[] begins, long[] ends, int count) {
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
