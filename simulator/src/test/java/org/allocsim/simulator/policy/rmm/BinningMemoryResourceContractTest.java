package org.allocsim.simulator.policy.rmm;

import org.allocsim.simulator.policy.PolicyContract;

class BinningMemoryResourceContractTest extends PolicyContract {
  BinningMemoryResourceContractTest() {
    super("rmm-binning");
  }

  /** Blocks of bins keep their size. */
  @Override
  protected boolean mergesFreeBlocks() {
    return false;
  }

  /** What is larger than all bins goes back to the device. */
  @Override
  protected boolean returnsMemoryOnFree() {
    return true;
  }

  /** The first chunks of all bins stay, which hold all small blocks of the random traces. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return 128L * (31 << 18);
  }
}
