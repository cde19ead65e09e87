package org.allocsim.simulator.policy.bfc;

import java.util.Map;
import org.allocsim.simulator.policy.PolicyContract;

/** Growth to the whole device: with a share, a smaller device has a smaller limit. */
class BfcContractTest extends PolicyContract {
  BfcContractTest() {
    super("bfc");
  }

  @Override
  protected Map<String, String> options() {
    return Map.of("preallocate", "false", "fraction", "1");
  }

  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
