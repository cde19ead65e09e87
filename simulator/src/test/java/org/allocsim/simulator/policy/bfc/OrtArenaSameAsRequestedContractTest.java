package org.allocsim.simulator.policy.bfc;

import java.util.Map;
import org.allocsim.simulator.policy.PolicyContract;

class OrtArenaSameAsRequestedContractTest extends PolicyContract {
  OrtArenaSameAsRequestedContractTest() {
    super("ort-arena");
  }

  @Override
  protected Map<String, String> options() {
    return Map.of("arena-extend-strategy", "kSameAsRequested");
  }
}
