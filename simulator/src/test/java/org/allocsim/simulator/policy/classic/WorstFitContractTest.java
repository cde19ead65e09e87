package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.policy.PolicyContract;

class WorstFitContractTest extends PolicyContract {
  WorstFitContractTest() {
    super("worst-fit");
  }

  /** The heap never shrinks unless an option says so. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
