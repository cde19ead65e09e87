package org.allocsim.simulator.policy.ggml;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link LegacyPool}s. */
public final class LegacyPoolProvider extends OptionsProvider {
  private static final PolicySpec SPEC =
      new PolicySpec(
          "ggml-legacy",
          "ggml-cuda's pool without virtual memory: best fit of 256 cached buffers, 5 % larger",
          "ggml-org/ggml d99724f2 (2026-08-21), ggml_cuda_pool_leg; source read and driven",
          List.of());

  /** A provider; the service loader makes it. */
  public LegacyPoolProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener) {
    return new LegacyPool(limitBytes, device, listener);
  }
}
