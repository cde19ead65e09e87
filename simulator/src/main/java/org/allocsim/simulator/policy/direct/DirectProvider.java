package org.allocsim.simulator.policy.direct;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link DirectAllocator}s. */
public final class DirectProvider extends OptionsProvider {
  private static final PolicySpec SPEC =
      new PolicySpec(
              "direct",
              "no allocator: every request is a cudaMalloc, every free a cudaFree",
              "CUDA driver 580 (CUDA 13.0), recorded on H100 and H200",
              List.of())
          .inPyTorch("PYTORCH_NO_CUDA_MEMORY_CACHING=1");

  /** A provider; the service loader makes it. */
  public DirectProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    return new DirectAllocator(limitBytes, device, listener);
  }
}
