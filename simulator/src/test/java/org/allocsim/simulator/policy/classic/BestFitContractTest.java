package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.policy.PolicyContract;

class BestFitContractTest extends PolicyContract {
  BestFitContractTest() {
    super("best-fit");
  }

  /** The heap never shrinks unless an option says so. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
