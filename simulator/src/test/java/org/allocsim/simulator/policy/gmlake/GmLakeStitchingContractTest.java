package org.allocsim.simulator.policy.gmlake;

import java.util.Map;
import org.allocsim.simulator.policy.PolicyContract;

/** The contract where every large request that finds no block is stitched if it can be. */
class GmLakeStitchingContractTest extends PolicyContract {
  GmLakeStitchingContractTest() {
    super("gmlake");
  }

  @Override
  protected Map<String, String> options() {
    return Map.of("frag-limit", "2MiB", "reuse-limit", "4", "auto-gc", "2GiB");
  }

  @Override
  protected boolean spansBlocks() {
    return true;
  }
}
