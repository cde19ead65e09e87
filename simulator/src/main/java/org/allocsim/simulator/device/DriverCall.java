package org.allocsim.simulator.device;

/** Calls of the CUDA driver that a device counts and gives time to. */
public enum DriverCall {
  /** {@code cuMemAlloc}, refused calls included. */
  ALLOCATE,
  /** {@code cuMemFree}. */
  FREE,
  /** {@code cuMemAddressReserve}. */
  ADDRESS_RESERVE,
  /** {@code cuMemAddressFree}. */
  ADDRESS_FREE,
  /** {@code cuMemCreate}, one a handle, a refused call included. */
  CREATE,
  /** {@code cuMemMap}, one a handle. */
  MAP,
  /** {@code cuMemSetAccess}, one for all handles mapped together. */
  SET_ACCESS,
  /** {@code cuMemUnmap}, one a handle. */
  UNMAP,
  /** {@code cuMemRelease}, one a handle. */
  RELEASE,
  /** {@code cuMemAllocAsync}, refused calls included. */
  ALLOCATE_ASYNC,
  /** {@code cuMemFreeAsync}. */
  FREE_ASYNC,
  /** {@code cuMemPoolTrimTo}. */
  TRIM_POOL
}
