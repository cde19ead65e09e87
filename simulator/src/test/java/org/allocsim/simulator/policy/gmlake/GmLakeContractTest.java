package org.allocsim.simulator.policy.gmlake;

import org.allocsim.simulator.policy.PolicyContract;

class GmLakeContractTest extends PolicyContract {
  GmLakeContractTest() {
    super("gmlake");
  }

  /** A stitched allocation is shown as the several primitive blocks that it uses. */
  @Override
  protected boolean spansBlocks() {
    return true;
  }
}
