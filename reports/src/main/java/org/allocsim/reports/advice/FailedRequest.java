package org.allocsim.reports.advice;

/**
 * A request that failed for lack of memory.
 *
 * @param allocation its id in the trace
 * @param row its row in the trace
 * @param requestedBytes what the program asked for
 * @param roundedBytes the block that it needed
 * @param segmentBytes the segment that was wanted for it
 * @param stream stream of the request
 * @param pool number of its pool, 0 for the default pool
 * @param limitBytes the allocator's own limit, −1 without one
 * @param deviceFreeBytes free bytes of the device then
 * @param deviceTotalBytes size of the device, −1 where it is not known
 */
public record FailedRequest(
    int allocation,
    int row,
    long requestedBytes,
    long roundedBytes,
    long segmentBytes,
    int stream,
    int pool,
    long limitBytes,
    long deviceFreeBytes,
    long deviceTotalBytes) {}
