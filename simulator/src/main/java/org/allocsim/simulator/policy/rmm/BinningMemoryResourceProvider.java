package org.allocsim.simulator.policy.rmm;

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

/** Makes {@link BinningMemoryResource}s. */
public final class BinningMemoryResourceProvider implements PolicyProvider {
  private static final String MIN_EXPONENT = "min-exponent";
  private static final String MAX_EXPONENT = "max-exponent";

  /** Log2 of RMM's unit of 256 bytes: smaller bins would be the same. */
  private static final int LEAST = 8;

  /** Bin sizes are computed with 32 bits. */
  private static final int MOST = 30;

  private static final PolicySpec SPEC =
      new PolicySpec(
              "rmm-binning",
              "RMM's binning_memory_resource: one fixed-size resource for each power of two in a"
                  + " range",
              "rapidsai/rmm 5d50a37 (2026-07), binning_memory_resource; bins as in its replay"
                  + " benchmark; source read and driven",
              List.of(
                  new PolicySpec.Option(
                      MIN_EXPONENT, "18", "", "log2 of the smallest bin, 8 to 30"),
                  new PolicySpec.Option(
                      MAX_EXPONENT, "22", "", "log2 of the largest bin, 8 to 30")))
          .inPyTorch("rmm.mr.BinningMemoryResource and rmm.allocators.torch.rmm_torch_allocator");

  /** A provider; the service loader makes it. */
  public BinningMemoryResourceProvider() {}

  @Override
  public PolicySpec spec() {
    return SPEC;
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    PolicyOptions options = new PolicyOptions(SPEC, settings);
    int minExponent = (int) options.integer(MIN_EXPONENT, LEAST, MOST);
    int maxExponent = (int) options.integer(MAX_EXPONENT, minExponent, MOST);
    return new BinningMemoryResource(
        minExponent, maxExponent, settings.limitBytes(), future, device, listener);
  }
}
