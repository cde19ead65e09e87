package org.allocsim.simulator.policy.bfc;

import java.util.Map;
import org.allocsim.simulator.policy.PolicyContract;

/** Freed chunks wait for the host before they merge. */
class BfcTimestampsContractTest extends PolicyContract {
  BfcTimestampsContractTest() {
    super("bfc");
  }

  @Override
  protected Map<String, String> options() {
    return Map.of("preallocate", "false", "fraction", "1", "timestamps", "true");
  }

  @Override
  protected boolean mergesFreeBlocks() {
    return false;
  }

  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
