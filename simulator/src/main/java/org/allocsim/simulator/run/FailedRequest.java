package org.allocsim.simulator.run;

import org.allocsim.simulator.effect.OutOfMemory;
import org.jspecify.annotations.Nullable;

/**
 * A request that failed.
 *
 * @param requestIndex its index among the allocation requests after the prologue, from 0; −1 for
 *     one of the prologue, which recreates what existed before the recording
 * @param row its row in the trace
 * @param allocation its id in the trace
 * @param pool number of its pool, 0 for the default pool
 * @param requestedBytes what it asked for
 * @param allocatedBytes bytes allocated at that moment
 * @param reservedBytes bytes reserved at that moment
 * @param shortage what was short; null if the request failed before it reached the allocator
 * @param message the error message that the program saw
 */
public record FailedRequest(
    long requestIndex,
    int row,
    int allocation,
    int pool,
    long requestedBytes,
    long allocatedBytes,
    long reservedBytes,
    @Nullable OutOfMemory shortage,
    String message) {}
