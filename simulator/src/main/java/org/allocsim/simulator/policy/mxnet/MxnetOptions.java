package org.allocsim.simulator.policy.mxnet;

import org.allocsim.simulator.policy.PolicySpec;

/** The options that both pool types have. */
final class MxnetOptions {
  static final String SOURCE =
      "apache/mxnet, src/storage/pooled_storage_manager.h, state of January 2023; source read";

  static final PolicySpec.Option PAGE =
      new PolicySpec.Option(
          "page-size", "4096", "bytes", "smallest block (MXNET_GPU_MEM_POOL_PAGE_SIZE)");

  static final PolicySpec.Option RESERVE =
      new PolicySpec.Option(
          "reserve",
          "5",
          "%",
          "percentage of the device's memory; if less is free, the cache is released"
              + " (MXNET_GPU_MEM_POOL_RESERVE)");

  private MxnetOptions() {}
}
