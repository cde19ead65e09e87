package org.allocsim.simulator.effect;

/**
 * A request that failed, and what its message is made from.
 *
 * @param allocation id of the request
 * @param requestedBytes what the program asked for
 * @param roundedBytes the request after rounding
 * @param segmentBytes size of the segment that was wanted for it
 * @param stream stream of the request
 * @param limitBytes the allocator's own limit, or −1 without one
 * @param privateFreeBytes free bytes inside private pools
 * @param deviceFreeBytes free bytes of the device
 * @param deviceTotalBytes size of the device, or −1 where it is not known
 */
public record OutOfMemory(
    int allocation,
    long requestedBytes,
    long roundedBytes,
    long segmentBytes,
    int stream,
    long limitBytes,
    long privateFreeBytes,
    long deviceFreeBytes,
    long deviceTotalBytes) {}
