package org.allocsim.simulator.policy.paddle;

import org.allocsim.simulator.policy.PolicyContract;

class VirtualMemoryContractTest extends PolicyContract {
  VirtualMemoryContractTest() {
    super("paddle-virtual-memory");
  }

  /** Nothing goes back. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
