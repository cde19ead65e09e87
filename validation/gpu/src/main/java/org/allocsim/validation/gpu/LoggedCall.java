package org.allocsim.validation.gpu;

/**
 * A call that a policy made on a device and what came of it.
 *
 * @param kind which call
 * @param bytes what it was about; for waiting calls the stream
 * @param address the address that the call gave or was given
 * @param region start of the driver's reservation around a segment, where the device reports it,
 *     else 0
 * @param isRefused whether the device refused it
 * @param freeBytes free bytes of the device after the call
 * @param reservedBytes what the pool holds after a stream-ordered call
 * @param usedBytes what the pool's allocations asked for after a stream-ordered call
 * @param nanos time in the driver
 */
record LoggedCall(
    PortCall kind,
    long bytes,
    long address,
    long region,
    boolean isRefused,
    long freeBytes,
    long reservedBytes,
    long usedBytes,
    long nanos) {}
