package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.policy.PolicyContract;

class BestFitContractTest extends PolicyContract {
  BestFitContractTest() {
    super("best-fit");
  }

  /** The heap never shrinks unless it is told to. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
