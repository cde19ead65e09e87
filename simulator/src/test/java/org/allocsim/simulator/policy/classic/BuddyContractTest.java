package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.policy.PolicyContract;
import org.allocsim.simulator.policy.PolicyTraits.InactiveSplits;

class BuddyContractTest extends PolicyContract {
  BuddyContractTest() {
    super("buddy");
  }

  /** Only buddies merge. */
  @Override
  protected boolean mergesFreeBlocks() {
    return false;
  }

  /** The heap never shrinks unless an option says so. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }

  /** The powers of two that a free step of the heap consists of are no splits. */
  @Override
  protected InactiveSplits inactiveSplits() {
    return InactiveSplits.IN_USED_SEGMENTS;
  }
}
