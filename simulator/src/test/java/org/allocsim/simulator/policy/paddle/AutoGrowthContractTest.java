package org.allocsim.simulator.policy.paddle;

import org.allocsim.simulator.policy.PolicyContract;

class AutoGrowthContractTest extends PolicyContract {
  AutoGrowthContractTest() {
    super("paddle-auto-growth");
  }
}
