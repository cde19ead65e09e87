package org.allocsim.simulator.device.cost;

/** Calls of the CUDA driver that a device counts and gives time to. */
public enum DriverCall {
  /** {@code cuMemAlloc}, refused calls included. */
  ALLOCATE("cuMemAlloc"),
  /** {@code cuMemFree}. */
  FREE("cuMemFree"),
  /** {@code cuMemAddressReserve}. */
  ADDRESS_RESERVE("cuMemAddressReserve"),
  /** {@code cuMemAddressFree}. */
  ADDRESS_FREE("cuMemAddressFree"),
  /** {@code cuMemCreate}, one a handle, a refused call included. */
  CREATE("cuMemCreate"),
  /** {@code cuMemMap}, one a handle. */
  MAP("cuMemMap"),
  /** {@code cuMemSetAccess}, one for all handles mapped together. */
  SET_ACCESS("cuMemSetAccess"),
  /** {@code cuMemUnmap}, one a handle. */
  UNMAP("cuMemUnmap"),
  /** {@code cuMemRelease}, one a handle. */
  RELEASE("cuMemRelease"),
  /** {@code cuMemAllocAsync}, refused calls included. */
  ALLOCATE_ASYNC("cuMemAllocAsync"),
  /** {@code cuMemFreeAsync}. */
  FREE_ASYNC("cuMemFreeAsync"),
  /** {@code cuMemPoolTrimTo}. */
  TRIM_POOL("cuMemPoolTrimTo");

  private final String function;

  DriverCall(String function) {
    this.function = function;
  }

  /** Whether it is one of the stream-ordered allocator, which few programs use. */
  public boolean isStreamOrdered() {
    return switch (this) {
      case ALLOCATE_ASYNC, FREE_ASYNC, TRIM_POOL -> true;
      default -> false;
    };
  }

  /** The function of the CUDA driver. */
  public String function() {
    return function;
  }
}
