package org.allocsim.simulator.policy.umpire;

import org.allocsim.simulator.policy.PolicyContract;

class DynamicPoolListContractTest extends PolicyContract {
  DynamicPoolListContractTest() {
    super("umpire-list");
  }

  /** Coalescing gives free blocks back. */
  @Override
  protected boolean returnsMemoryOnFree() {
    return true;
  }
}
