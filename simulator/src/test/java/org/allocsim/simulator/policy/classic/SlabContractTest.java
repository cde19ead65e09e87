package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.policy.PolicyContract;

class SlabContractTest extends PolicyContract {
  SlabContractTest() {
    super("slab");
  }

  /** Slots keep their size. */
  @Override
  protected boolean mergesFreeBlocks() {
    return false;
  }

  /** Empty slabs beyond one a class, and segments of large requests. */
  @Override
  protected boolean returnsMemoryOnFree() {
    return true;
  }
}
