package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.policy.PolicyContract;

class NextFitContractTest extends PolicyContract {
  NextFitContractTest() {
    super("next-fit");
  }

  /** The heap never shrinks unless an option says so. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
