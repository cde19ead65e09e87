package org.allocsim.simulator.policy.rmm;

import java.util.Map;
import org.allocsim.simulator.policy.PolicyContract;

class FixedSizeMemoryResourceContractTest extends PolicyContract {
  FixedSizeMemoryResourceContractTest() {
    super("rmm-fixed");
  }

  /** Blocks that hold the largest request of the random traces. */
  @Override
  protected Map<String, String> options() {
    return Map.of("block", "100MiB", "blocks", "4");
  }

  /** Blocks keep their size. */
  @Override
  protected boolean mergesFreeBlocks() {
    return false;
  }

  /** Only the destructor returns memory. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
