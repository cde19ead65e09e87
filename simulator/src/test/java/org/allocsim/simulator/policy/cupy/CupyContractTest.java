package org.allocsim.simulator.policy.cupy;

import org.allocsim.simulator.policy.PolicyContract;

class CupyContractTest extends PolicyContract {
  CupyContractTest() {
    super("cupy");
  }
}
