package org.allocsim.simulator.policy.mxnet;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link PooledStorage} of pool type Round. */
public final class RoundProvider extends OptionsProvider {
  private static final String CUTOFF = "linear-cutoff";

  private static final PolicySpec SPEC =
      new PolicySpec(
          "mxnet-round",
          "MXNet's pool type Round: powers of two, multiples of 16 MiB above 16 MiB",
          MxnetOptions.SOURCE,
          List.of(
              MxnetOptions.PAGE,
              new PolicySpec.Option(
                  CUTOFF,
                  "24",
                  "",
                  "powers of two up to 2^this, multiples of 2^this above"
                      + " (MXNET_GPU_MEM_POOL_ROUND_LINEAR_CUTOFF)"),
              MxnetOptions.RESERVE));

  /** A provider; the service loader makes it. */
  public RoundProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    long pageBytes = options.bytes(MxnetOptions.PAGE.name(), 32);
    if (Long.bitCount(pageBytes) != 1) {
      throw options.wrong(MxnetOptions.PAGE.name(), "a power of two");
    }
    return new PooledStorage(
        new BucketRule.PowersOfTwo(pageBytes, (int) options.integer(CUTOFF, 20, 34)),
        (int) options.integer(MxnetOptions.RESERVE.name(), 0, 100),
        limitBytes,
        device,
        listener);
  }
}
