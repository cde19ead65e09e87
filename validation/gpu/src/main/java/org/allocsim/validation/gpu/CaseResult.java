package org.allocsim.validation.gpu;

import org.jspecify.annotations.Nullable;

/**
 * What came of one {@link GpuCase}.
 *
 * @param profile name of the built-in profile that the simulation follows
 * @param freeBytesAtStart free bytes of the GPU before anything was held back
 * @param heldBack whether memory was held back from the policy
 * @param capacityBytes free bytes that the policy began with, on both devices
 * @param requests allocation requests after the prologue
 * @param predictedCalls calls of the device port by the policy on the simulated device
 * @param measuredCalls the same on the GPU
 * @param equalCalls leading calls that agree in kind, size and refusal; all below is about them
 * @param firstDifference what differs after them, or null where nothing does
 * @param refusedCalls calls among them that were refused
 * @param learned whether the addresses of arena and top were taken from the run
 * @param freeBytes free bytes after every call
 * @param poolReserved bytes that the pool holds after every stream-ordered call
 * @param poolUsed bytes that its allocations asked for
 * @param addresses addresses that calls gave
 * @param predictedPeakBytes maximum memory taken from the simulated device
 * @param measuredPeakBytes maximum memory taken from the GPU
 * @param failures failed requests
 * @param time time in the driver
 */
public record CaseResult(
    String profile,
    long freeBytesAtStart,
    boolean heldBack,
    long capacityBytes,
    long requests,
    long predictedCalls,
    long measuredCalls,
    long equalCalls,
    @Nullable String firstDifference,
    long refusedCalls,
    boolean learned,
    Exactness freeBytes,
    Exactness poolReserved,
    Exactness poolUsed,
    AddressComparison addresses,
    long predictedPeakBytes,
    long measuredPeakBytes,
    OomComparison failures,
    DriverTime time) {
  /** Whether the policy made the same calls on both devices, with the same refusals. */
  public boolean hasSameCalls() {
    return firstDifference == null;
  }

  /**
   * Whether the driver's time says something of the cost model: a GPU that is nearly full takes
   * longer, and a failure ends what is compared.
   */
  public boolean isTimed() {
    return !heldBack
        && hasSameCalls()
        && failures.verdict() == OomComparison.Verdict.NEITHER
        && measuredCalls > 0;
  }

  /** Whether the peak on the GPU was higher than predicted. */
  public boolean isUnderEstimated() {
    return measuredPeakBytes > predictedPeakBytes;
  }
}
