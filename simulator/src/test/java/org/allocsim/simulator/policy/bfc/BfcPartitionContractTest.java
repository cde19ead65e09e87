package org.allocsim.simulator.policy.bfc;

import java.util.Map;
import org.allocsim.simulator.policy.PolicyContract;

/** XLA's pool of June 2026, served from both ends. */
class BfcPartitionContractTest extends PolicyContract {
  BfcPartitionContractTest() {
    super("bfc");
  }

  @Override
  protected Map<String, String> options() {
    return Map.of("partition", "collective-high");
  }

  @Override
  protected long headroomBytes() {
    return 1L << 40;
  }

  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
