package org.allocsim.analysis.idle.join;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.idle.timeline.CallKind;
import org.allocsim.analysis.idle.timeline.Cause;
import org.allocsim.analysis.idle.timeline.Steps;
import org.allocsim.analysis.idle.timeline.Timeline;
import org.allocsim.analysis.idle.timeline.Waits;

/**
 * What the allocator asked of the driver in one step, on the clock of the host.
 *
 * @param step name of the step
 * @param allocations segments, and runs of pages of expandable ones, that it got
 * @param allocatedBytes their bytes
 * @param frees those that it gave back
 * @param freedBytes their bytes
 * @param retries how often it freed segments to serve a request: after a cudaMalloc that failed, at
 *     its limit, or as its garbage collection
 */
public record StepCalls(
    String step, long allocations, long allocatedBytes, long frees, long freedBytes, long retries) {
  /** Of each step of a joined profile. */
  public static List<StepCalls> of(
      SegmentCalls calls, Timeline timeline, Steps steps, Waits waits) {
    long[] retries = retries(timeline, steps, waits);
    List<StepCalls> found = new ArrayList<>();
    int call = 0;
    for (int step = 0; step < steps.count(); step++) {
      long allocations = 0;
      long allocatedBytes = 0;
      long frees = 0;
      long freedBytes = 0;
      for (; call < calls.count() && calls.nanos(call) < steps.hostNanos(step + 1); call++) {
        if (calls.nanos(call) < steps.hostNanos(step)) {
          continue;
        }
        if (calls.isAllocation(call)) {
          allocations++;
          allocatedBytes += calls.bytes(call);
        } else {
          frees++;
          freedBytes += calls.bytes(call);
        }
      }
      found.add(
          new StepCalls(
              steps.name(step), allocations, allocatedBytes, frees, freedBytes, retries[step]));
    }
    return found;
  }

  /** A retry is a row of frees for a request, on one thread, without another call between them. */
  private static long[] retries(Timeline timeline, Steps steps, Waits waits) {
    long[] retries = new long[steps.count()];
    boolean[] isFreeing = new boolean[timeline.profile().laneCount()];
    for (int call = 0; call < timeline.callCount(); call++) {
      int thread = timeline.callThread(call);
      boolean isRetry =
          timeline.callKind(call) == CallKind.FREE
              && (waits.cause(call) == Cause.RETRY || waits.cause(call) == Cause.RECLAIM);
      int step = steps.onHost(timeline.callStart(call));
      if (isRetry && !isFreeing[thread] && step >= 0 && step < retries.length) {
        retries[step]++;
      }
      isFreeing[thread] = isRetry;
    }
    return retries;
  }
}
