package org.allocsim.simulator.policy.mlx;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link CudaAllocator}s. */
public final class CudaProvider extends OptionsProvider {
  private static final String POOLS = "memory-pools";

  private static final PolicySpec SPEC =
      new PolicySpec(
          "mlx-cuda",
          "MLX on CUDA: powers of two below 16 KiB, multiples of it above, cached as on Metal",
          "ml-explore/mlx 846d1762 (2026-08-22), mlx/backend/cuda/allocator.cpp; source read and"
              + " driven",
          List.of(
              MlxLimits.memoryOption("beyond it cached buffers are released; 95 % of the device"),
              MlxLimits.CACHE_OPTION,
              new PolicySpec.Option(
                  POOLS, "true", "", "whether the device has pools for cudaMallocAsync")));

  /** A provider; the service loader makes it. */
  public CudaProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    return new CudaAllocator(
        options.flag(POOLS),
        MlxLimits.of(
            options, limitBytes, CudaAllocator.SLOTS_BYTES, device, CudaAllocator::ownLimitBytes),
        device,
        listener);
  }
}
