package org.allocsim.simulator.policy.stalloc;

import org.allocsim.simulator.policy.PolicyContract;

class StAllocContractTest extends PolicyContract {
  StAllocContractTest() {
    super("stalloc");
  }

  /** The arena and the slabs stay; the trace itself being the profile, nothing else was needed. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
