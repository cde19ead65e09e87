package org.allocsim.simulator.policy.paddle;

import java.util.Map;
import org.allocsim.simulator.policy.PolicyContract;

class AutoGrowthFreeingContractTest extends PolicyContract {
  AutoGrowthFreeingContractTest() {
    super("paddle-auto-growth");
  }

  @Override
  protected Map<String, String> options() {
    return Map.of("chunk-size", "8MiB", "free-idle-chunk", "true");
  }

  /** The option says so. */
  @Override
  protected boolean returnsMemoryOnFree() {
    return true;
  }
}
