package org.allocsim.analysis.idle;

import org.allocsim.analysis.idle.timeline.Intervals;
import org.allocsim.analysis.idle.timeline.Timeline;
import org.allocsim.analysis.idle.timeline.WorkKind;

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
}
