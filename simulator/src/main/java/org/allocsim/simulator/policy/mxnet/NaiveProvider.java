package org.allocsim.simulator.policy.mxnet;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link PooledStorage} of pool type Naive, MXNet's default. */
public final class NaiveProvider implements PolicyProvider {
  private static final String LARGE = "large-round-size";

  private static final PolicySpec SPEC =
      new PolicySpec(
          "mxnet-naive",
          "MXNet's pool type Naive: blocks of whole pages, reused for exactly their size",
          MxnetOptions.SOURCE,
          List.of(
              MxnetOptions.PAGE,
              new PolicySpec.Option(
                  LARGE,
                  "2MiB",
                  "bytes",
                  "unit of sizes above it (MXNET_GPU_MEM_LARGE_ALLOC_ROUND_SIZE)"),
              MxnetOptions.RESERVE));

  /** A provider; the service loader makes it. */
  public NaiveProvider() {}

  @Override
  public PolicySpec spec() {
    return SPEC;
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    PolicyOptions options = new PolicyOptions(SPEC, settings);
    return new PooledStorage(
        new BucketRule.Pages(options.bytes(MxnetOptions.PAGE.name(), 32), options.bytes(LARGE, 1)),
        (int) options.integer(MxnetOptions.RESERVE.name(), 0, 100),
        settings.limitBytes(),
        device,
        listener);
  }
}
