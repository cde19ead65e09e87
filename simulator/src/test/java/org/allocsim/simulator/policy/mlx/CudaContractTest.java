package org.allocsim.simulator.policy.mlx;

import org.allocsim.simulator.policy.PolicyContract;

class CudaContractTest extends PolicyContract {
  CudaContractTest() {
    super("mlx-cuda");
  }

  /** Slots of 8 bytes stay apart. */
  @Override
  protected boolean mergesFreeBlocks() {
    return false;
  }

  /** The slots stay. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return 64 << 10;
  }

  /** Cached buffers are released from 95 % of the device on. */
  @Override
  protected long sufficientCapacityBytes(long peakBytes) {
    return (long) (peakBytes / 0.94);
  }
}
