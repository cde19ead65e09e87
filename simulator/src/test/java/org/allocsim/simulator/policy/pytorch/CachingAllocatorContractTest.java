package org.allocsim.simulator.policy.pytorch;

import org.allocsim.simulator.policy.PolicyContract;

class CachingAllocatorContractTest extends PolicyContract {
  CachingAllocatorContractTest() {
    super("pytorch");
  }
}
