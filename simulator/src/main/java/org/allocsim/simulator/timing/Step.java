package org.allocsim.simulator.timing;

/**
 * What happened in a step, that is between the begin and the end of an outermost marker.
 *
 * @param marker number of its marker in the trace
 * @param beginNanos when the host began it
 * @param endNanos when the host ended it; the GPU may still have been at its work
 * @param allocatorNanos host time in driver calls and in waiting for the GPU inside of the
 *     allocator
 * @param dataNanos host time that it waited for data: the loader, and copies that are not pinned
 * @param computeNanos time during it that the GPU computed
 */
public record Step(
    int marker,
    long beginNanos,
    long endNanos,
    long allocatorNanos,
    long dataNanos,
    long computeNanos) {
  /** A step that ends with these totals, where this one has those at its begin. */
  Step endingWith(Step totals) {
    return new Step(
        marker,
        beginNanos,
        totals.endNanos,
        totals.allocatorNanos - allocatorNanos,
        totals.dataNanos - dataNanos,
        totals.computeNanos - computeNanos);
  }
}
