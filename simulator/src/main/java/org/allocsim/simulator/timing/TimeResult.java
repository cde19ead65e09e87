package org.allocsim.simulator.timing;

import java.util.List;
import java.util.Map;
import org.allocsim.simulator.trace.RequestKind;

/**
 * What a simulation in time found.
 *
 * @param hostNanos when the host was through
 * @param endNanos when the GPU was, too
 * @param activities what the host's time went to; sums up to {@code hostNanos}
 * @param requestNanos host time inside of the allocator, driver calls and waiting included, by the
 *     kind of the request that it was spent for
 * @param requestCounts number of such requests
 * @param compute when the GPU computed
 * @param toDevice when it copied to the device
 * @param toHost when it copied to the host
 * @param links when messages ran on its links to other GPUs
 * @param maxQueued most pieces of work that were queued on a stream at a time
 * @param pinnedPeakBytes most host memory that was pinned at a time
 * @param steps what happened in each step, in order
 */
public record TimeResult(
    long hostNanos,
    long endNanos,
    Map<HostActivity, Long> activities,
    Map<RequestKind, Long> requestNanos,
    Map<RequestKind, Long> requestCounts,
    BusyTimeline compute,
    BusyTimeline toDevice,
    BusyTimeline toHost,
    BusyTimeline links,
    int maxQueued,
    long pinnedPeakBytes,
    List<Step> steps) {

  /** Host time in driver calls of the allocator and in its waiting for the GPU. */
  public long allocatorNanos() {
    return activities.getOrDefault(HostActivity.DRIVER_CALL, 0L)
        + activities.getOrDefault(HostActivity.ALLOCATOR_WAIT, 0L);
  }

  /** Part of the time that the GPU computed, from 0 to 1; 0 where no time passed. */
  public double utilisation() {
    return endNanos == 0 ? 0 : (double) compute.totalNanos() / endNanos;
  }
}
