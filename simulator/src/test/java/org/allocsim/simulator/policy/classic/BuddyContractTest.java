package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.policy.PolicyContract;

class BuddyContractTest extends PolicyContract {
  BuddyContractTest() {
    super("buddy");
  }

  /** Only buddies merge. */
  @Override
  protected boolean mergesFreeBlocks() {
    return false;
  }

  /** The heap never shrinks unless it is told to. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
