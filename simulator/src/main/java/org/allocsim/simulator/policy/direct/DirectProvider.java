package org.allocsim.simulator.policy.direct;

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

/** Makes {@link DirectAllocator}s. */
public final class DirectProvider implements PolicyProvider {
  private static final PolicySpec SPEC =
      new PolicySpec(
          "direct",
          "no allocator: every request is a cudaMalloc, every free a cudaFree",
          "CUDA driver 580 (CUDA 13.0), recorded on H100 and H200",
          List.of());

  /** A provider; the service loader makes it. */
  public DirectProvider() {}

  @Override
  public PolicySpec spec() {
    return SPEC;
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    // Refuses all options.
    new PolicyOptions(SPEC, settings);
    return new DirectAllocator(settings.limitBytes(), device, listener);
  }
}
