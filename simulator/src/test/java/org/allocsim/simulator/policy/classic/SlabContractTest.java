package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.policy.PolicyContract;
import org.allocsim.simulator.policy.PolicyTraits.InactiveSplits;

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

  /** The slots of an empty slab are no splits. */
  @Override
  protected InactiveSplits inactiveSplits() {
    return InactiveSplits.IN_USED_SEGMENTS;
  }
}
