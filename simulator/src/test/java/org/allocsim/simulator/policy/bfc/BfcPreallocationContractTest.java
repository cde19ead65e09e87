package org.allocsim.simulator.policy.bfc;

import org.allocsim.simulator.policy.PolicyContract;

/** JAX's defaults: three quarters of the device from the first request on. */
class BfcPreallocationContractTest extends PolicyContract {
  BfcPreallocationContractTest() {
    super("bfc");
  }

  /** The quarter of the contract's device that is left. */
  @Override
  protected long headroomBytes() {
    return 1L << 40;
  }

  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
