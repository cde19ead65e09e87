package org.allocsim.simulator.policy.umpire;

import org.allocsim.simulator.policy.PolicyContract;

class QuickPoolContractTest extends PolicyContract {
  QuickPoolContractTest() {
    super("umpire-quick");
  }

  /** Coalescing gives free blocks back. */
  @Override
  protected boolean returnsMemoryOnFree() {
    return true;
  }
}
