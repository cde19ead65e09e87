package org.allocsim.simulator.policy.offline;

import org.allocsim.simulator.policy.PolicyContract;

class GreedyPlanContractTest extends PolicyContract {
  GreedyPlanContractTest() {
    super("plan-greedy-size");
  }

  /** The planned segment stays. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
