package org.allocsim.simulator.policy.bfc;

import java.util.Map;
import org.allocsim.simulator.policy.PolicyContract;

/** JAX of September 2026: three quarters of the device at first, then all of it. */
class BfcGrowingContractTest extends PolicyContract {
  BfcGrowingContractTest() {
    super("bfc");
  }

  @Override
  protected Map<String, String> options() {
    return Map.of("preset", "jax-growing");
  }

  /** What is preallocated depends on the device, so on any other it is not the same. */
  @Override
  protected long sufficientCapacityBytes(long peakBytes) {
    return 1L << 42;
  }

  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
