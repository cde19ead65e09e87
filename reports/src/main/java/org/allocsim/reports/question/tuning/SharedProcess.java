package org.allocsim.reports.question.tuning;

import org.allocsim.simulator.policy.PolicyChoice;
import org.jspecify.annotations.Nullable;

/**
 * A process that shares a GPU; null what has no value of its own.
 *
 * @param name what to call it
 * @param policy its allocator; null for PyTorch's
 * @param contextBytes its context
 * @param otherBytes what else it holds
 * @param startNanos when it starts
 * @param exits whether it ends after its last request
 * @param limitBytes what the driver lets it have as a client of Multi-Process Service
 */
public record SharedProcess(
    @Nullable String name,
    @Nullable PolicyChoice policy,
    @Nullable Long contextBytes,
    long otherBytes,
    @Nullable Long startNanos,
    boolean exits,
    @Nullable Long limitBytes) {}
