package org.allocsim.simulator.policy.bfc;

import java.util.Map;
import org.allocsim.simulator.policy.PolicyContract;

/** Chunks of different streams lie side by side unmerged. */
class OrtArenaStreamsContractTest extends PolicyContract {
  OrtArenaStreamsContractTest() {
    super("ort-arena");
  }

  @Override
  protected Map<String, String> options() {
    return Map.of("arena-extend-strategy", "kSameAsRequested", "streams", "true");
  }

  @Override
  protected boolean mergesFreeBlocks() {
    return false;
  }
}
