package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.policy.PolicyContract;

class NextFitContractTest extends PolicyContract {
  NextFitContractTest() {
    super("next-fit");
  }

  /** The heap never shrinks unless it is told to. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
