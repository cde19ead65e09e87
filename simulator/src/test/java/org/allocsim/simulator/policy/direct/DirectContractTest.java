package org.allocsim.simulator.policy.direct;

import org.allocsim.simulator.policy.PolicyContract;

class DirectContractTest extends PolicyContract {
  DirectContractTest() {
    super("direct");
  }

  @Override
  protected boolean returnsMemoryOnFree() {
    return true;
  }
}
