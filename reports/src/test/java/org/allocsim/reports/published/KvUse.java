package org.allocsim.reports.published;

import org.allocsim.simulator.trace.AllocationTrace;

/**
 * How a server used its memory for keys and values, averages over its steps.
 *
 * @param tokens share of the slots that hold tokens, 0 to 1
 * @param future share set aside for tokens that the same sequences will have
 * @param internal share set aside that will never be used
 * @param external the rest: free, or lost between what is set aside
 * @param meanRunning sequences that ran together
 * @param preemptions sequences that were thrown out for lack of memory and began again
 * @param steps steps that were averaged
 * @param trace what the server asked of its allocator
 */
public record KvUse(
    double tokens,
    double future,
    double internal,
    double external,
    double meanRunning,
    int preemptions,
    int steps,
    AllocationTrace trace) {}
