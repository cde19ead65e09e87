package org.allocsim.simulator.policy.stalloc;

import org.allocsim.simulator.policy.PolicyContract;
import org.allocsim.simulator.policy.PolicyTraits.InactiveSplits;

class StAllocContractTest extends PolicyContract {
  StAllocContractTest() {
    super("stalloc");
  }

  /** The arena and the slabs stay; the trace itself being the profile, nothing else was needed. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }

  /** A slab or an arena that is wholly free has no splits. */
  @Override
  protected InactiveSplits inactiveSplits() {
    return InactiveSplits.IN_USED_SEGMENTS;
  }
}
