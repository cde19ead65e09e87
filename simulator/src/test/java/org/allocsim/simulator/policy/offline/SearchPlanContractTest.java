package org.allocsim.simulator.policy.offline;

import java.util.Map;
import org.allocsim.simulator.policy.PolicyContract;

class SearchPlanContractTest extends PolicyContract {
  SearchPlanContractTest() {
    super("plan-search");
  }

  /** Enough to be tried, little enough for many runs. */
  @Override
  protected Map<String, String> options() {
    return Map.of("nodes", "2000");
  }

  /** The planned segment stays. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
