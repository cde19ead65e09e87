package org.allocsim.simulator.policy.offline;

import org.allocsim.simulator.policy.PolicyContract;

class GgmlGraphContractTest extends PolicyContract {
  GgmlGraphContractTest() {
    super("ggml-graph");
  }

  /** The planned segment stays. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }
}
