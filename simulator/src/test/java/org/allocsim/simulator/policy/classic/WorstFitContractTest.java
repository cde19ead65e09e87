package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.policy.PolicyContract;

class WorstFitContractTest extends PolicyContract {
  WorstFitContractTest() {
    super("worst-fit");
  }

  /** The heap never shrinks unless it is told to. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
