package org.allocsim.simulator.policy.mxnet;

import org.allocsim.simulator.policy.PolicyContract;

class RoundContractTest extends PolicyContract {
  RoundContractTest() {
    super("mxnet-round");
  }

  /** Below the reserve of 5 % of the device the cache is returned; "more than" adds a page. */
  @Override
  protected long sufficientCapacityBytes(long peakBytes) {
    return peakBytes * 100 / 95 + (2L << 20);
  }
}
