package org.allocsim.simulator.policy.pytorch;

import org.allocsim.simulator.policy.PolicyContract;

class XpuContractTest extends PolicyContract {
  XpuContractTest() {
    super("torch-xpu");
  }
}
