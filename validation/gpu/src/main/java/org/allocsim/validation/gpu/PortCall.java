package org.allocsim.validation.gpu;

/** Calls of the device port that a policy makes and a {@link LoggedCall} says. */
public enum PortCall {
  /** {@code DeviceMemory.allocate}. */
  ALLOCATE,
  /** {@code DeviceMemory.free}. */
  FREE,
  /** {@code DeviceMemory.reserve}. */
  RESERVE,
  /** {@code DeviceMemory.unreserve}. */
  UNRESERVE,
  /** {@code DeviceMemory.map}. */
  MAP,
  /** {@code DeviceMemory.unmap}. */
  UNMAP,
  /** {@code HandleMemory.create}. */
  CREATE_HANDLES,
  /** {@code HandleMemory.map}. */
  MAP_HANDLES,
  /** {@code HandleMemory.unmap}. */
  UNMAP_HANDLES,
  /** {@code HandleMemory.release}. */
  RELEASE_HANDLES,
  /** {@code StreamOrderedMemory.allocateAsync}. */
  ALLOCATE_ASYNC,
  /** {@code StreamOrderedMemory.freeAsync}. */
  FREE_ASYNC,
  /** {@code StreamOrderedMemory.synchronizeStream}. */
  SYNCHRONIZE_STREAM,
  /** {@code StreamOrderedMemory.synchronizeDevice}. */
  SYNCHRONIZE_DEVICE,
  /** {@code StreamOrderedMemory.trimPool}. */
  TRIM_POOL;

  /** Whether the call answers with an address of its own. */
  boolean places() {
    return this == ALLOCATE || this == RESERVE || this == ALLOCATE_ASYNC;
  }

  /** Whether the call concerns the pool of stream-ordered memory. */
  boolean isStreamOrdered() {
    return ordinal() >= ALLOCATE_ASYNC.ordinal();
  }
}
