package org.allocsim.reports.advice;

/**
 * A request that failed.
 *
 * @param requestIndex its index among the allocation requests behind the prologue, from 0; −1 for
 *     one of the prologue, which recreates what existed before the recording
 * @param event its row in the trace
 * @param requestedBytes what it asked for
 * @param reservedBytes what the allocator held from the device then
 * @param message PyTorch's text
 */
public record RequestFailure(
    long requestIndex, int event, long requestedBytes, long reservedBytes, String message) {}
