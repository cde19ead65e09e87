package org.allocsim.simulator.policy.cudaasync;

import org.allocsim.simulator.policy.PolicyContract;
import org.allocsim.simulator.policy.PolicyTraits.InactiveSplits;

class CudaAsyncContractTest extends PolicyContract {
  CudaAsyncContractTest() {
    super("cuda-async");
  }

  /** Ranges that different streams gave back lie side by side. */
  @Override
  protected boolean mergesFreeBlocks() {
    return false;
  }

  /** The pool counts its limit in whole chunks. */
  @Override
  protected long limitUnitBytes() {
    return 32L << 20;
  }

  /** The driver splits what it likes. */
  @Override
  protected InactiveSplits inactiveSplits() {
    return InactiveSplits.NONE;
  }
}
