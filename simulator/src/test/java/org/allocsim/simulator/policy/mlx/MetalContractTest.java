package org.allocsim.simulator.policy.mlx;

import org.allocsim.simulator.policy.PolicyContract;

class MetalContractTest extends PolicyContract {
  MetalContractTest() {
    super("mlx-metal");
  }

  /** Slots of the heap stay apart. */
  @Override
  protected boolean mergesFreeBlocks() {
    return false;
  }

  /** The heap stays. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return 1 << 20;
  }

  /** Cached buffers are released from 95 % of 75 % of the device on. */
  @Override
  protected long sufficientCapacityBytes(long peakBytes) {
    return (long) (peakBytes / 0.7);
  }
}
