package org.allocsim.simulator.policy.cub;

import org.allocsim.simulator.policy.PolicyContract;

class CubContractTest extends PolicyContract {
  CubContractTest() {
    super("cub");
  }

  /** Blocks that the cache has no room for, and those beyond the largest bin, are not cached. */
  @Override
  protected boolean returnsMemoryOnFree() {
    return true;
  }

  /** CUB has no case for 0 bytes; they take the smallest bin. */
  @Override
  protected boolean servesRequestsOfNoBytes() {
    return true;
  }
}
