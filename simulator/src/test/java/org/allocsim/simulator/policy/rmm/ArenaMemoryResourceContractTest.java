package org.allocsim.simulator.policy.rmm;

import java.util.Map;
import org.allocsim.simulator.policy.PolicyContract;

class ArenaMemoryResourceContractTest extends PolicyContract {
  ArenaMemoryResourceContractTest() {
    super("rmm-arena");
  }

  /** By default the size follows the device's, which some rules of the contract vary. */
  @Override
  protected Map<String, String> options() {
    return Map.of("size", "8GiB");
  }

  /** Neighbours in two superblocks stay apart. */
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
