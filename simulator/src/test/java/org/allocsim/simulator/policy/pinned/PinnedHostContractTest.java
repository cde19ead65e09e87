package org.allocsim.simulator.policy.pinned;

import org.allocsim.simulator.policy.PolicyContract;

class PinnedHostContractTest extends PolicyContract {
  PinnedHostContractTest() {
    super("torch-host");
  }
}
