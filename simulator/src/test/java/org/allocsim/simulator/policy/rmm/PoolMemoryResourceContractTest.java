package org.allocsim.simulator.policy.rmm;

import org.allocsim.simulator.policy.PolicyContract;

class PoolMemoryResourceContractTest extends PolicyContract {
  PoolMemoryResourceContractTest() {
    super("rmm-pool");
  }

  /** Neighbours that lie in the lists of two streams stay apart. */
  @Override
  protected boolean mergesFreeBlocks() {
    return false;
  }

  /** Only the destructor returns memory. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
