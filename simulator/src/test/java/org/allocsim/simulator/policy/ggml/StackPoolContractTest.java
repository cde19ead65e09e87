package org.allocsim.simulator.policy.ggml;

import java.util.Map;
import org.allocsim.simulator.policy.PolicyContract;

class StackPoolContractTest extends PolicyContract {
  StackPoolContractTest() {
    super("ggml-vmm");
  }

  /** Random programs do not free in reverse order. */
  @Override
  protected Map<String, String> options() {
    return Map.of("frees", "deferred");
  }

  /** Nothing is returned before the program ends. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
