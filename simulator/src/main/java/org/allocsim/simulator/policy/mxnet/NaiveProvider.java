package org.allocsim.simulator.policy.mxnet;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link PooledStorage} of pool type Naive, MXNet's default. */
public final class NaiveProvider extends OptionsProvider {
  private static final String LARGE = "large-round-size";

  private static final PolicySpec SPEC =
      new PolicySpec(
          "mxnet-naive",
          "MXNet's pool type Naive: blocks of whole pages, reused only for requests of exactly"
              + " their size",
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
  public NaiveProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    return new PooledStorage(
        new BucketRule.Pages(options.bytes(MxnetOptions.PAGE.name(), 32), options.bytes(LARGE, 1)),
        (int) options.integer(MxnetOptions.RESERVE.name(), 0, 100),
        limitBytes,
        device,
        listener);
  }
}
