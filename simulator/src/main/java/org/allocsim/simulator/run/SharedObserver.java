package org.allocsim.simulator.run;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.simulated.SimulatedDevice;

/** Follows what tenants hold of a device that they share. */
@FunctionalInterface
public interface SharedObserver {
  /** Nobody follows. */
  SharedObserver NONE = (_, _, _) -> {};

  /**
   * A tenant holds another amount than before.
   *
   * @param nanos when, on the tenants' common clock
   * @param tenant its number
   * @param bytes what it holds now, with its context
   */
  void changed(long nanos, int tenant, long bytes);

  /**
   * It is another tenant's turn.
   *
   * @param tenant whose turn ended
   * @param nextRow its next row; larger than all where it has none
   */
  default void paused(int tenant, int nextRow) {}

  /** What a tenant's allocator is given: its device, or what watches the calls to it. */
  default DeviceMemory memory(int tenant, SimulatedDevice device) {
    return device;
  }
}
