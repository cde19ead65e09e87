package org.allocsim.simulator.policy.offline;

import org.allocsim.simulator.policy.PolicyContract;

class MaxLiveContractTest extends PolicyContract {
  MaxLiveContractTest() {
    super("max-live");
  }

  /** It holds what is live and nothing else. */
  @Override
  protected boolean returnsMemoryOnFree() {
    return true;
  }

  /** It takes nothing from the device, but is bound by its size. */
  @Override
  protected long headroomBytes() {
    return 1L << 40;
  }
}
