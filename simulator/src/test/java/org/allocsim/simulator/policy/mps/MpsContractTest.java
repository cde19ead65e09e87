package org.allocsim.simulator.policy.mps;

import java.util.Map;
import org.allocsim.simulator.policy.PolicyContract;

/** Without watermarks, which depend on the size of the device. */
class MpsContractTest extends PolicyContract {
  MpsContractTest() {
    super("torch-mps");
  }

  @Override
  protected Map<String, String> options() {
    return Map.of("high-watermark-ratio", "0", "low-watermark-ratio", "0");
  }

  /** Cached buffers keep their size. */
  @Override
  protected boolean mergesFreeBlocks() {
    return false;
  }
}
