package org.allocsim.validation.gpu.cuda;

import org.allocsim.simulator.device.cost.DriverCall;

/** Receives every timed call of the real driver. */
@FunctionalInterface
public interface DriverCallListener {
  /** Ignores everything. */
  DriverCallListener NONE = (call, bytes, nanos, refused) -> {};

  /**
   * A call has returned.
   *
   * @param bytes what it was about
   * @param nanos host time that it took
   * @param refused whether the driver was out of memory
   */
  void called(DriverCall call, long bytes, long nanos, boolean refused);
}
