package org.allocsim.simulator.policy.classic;

import java.util.Map;
import org.allocsim.simulator.policy.PolicyContract;

/** A heap that gives the steps at its end back. */
class TrimmedHeapContractTest extends PolicyContract {
  TrimmedHeapContractTest() {
    super("first-fit");
  }

  @Override
  protected Map<String, String> options() {
    return Map.of("trim-top", "true", "grow-step", "4MiB");
  }

  /** That is what the option is for. */
  @Override
  protected boolean returnsMemoryOnFree() {
    return true;
  }
}
