package org.allocsim.simulator.policy.ggml;

import org.allocsim.simulator.policy.PolicyContract;

class LegacyPoolContractTest extends PolicyContract {
  LegacyPoolContractTest() {
    super("ggml-legacy");
  }
}
