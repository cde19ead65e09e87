package org.allocsim.simulator.policy.mlx;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link MetalAllocator}s. */
public final class MetalProvider extends OptionsProvider {
  private static final String WORKING_SET = "working-set";
  private static final String RESOURCES = "resource-limit";

  private static final PolicySpec SPEC =
      new PolicySpec(
          "mlx-metal",
          "MLX on Apple's GPUs: buffers of the request, cached; reused if less than twice as large",
          "ml-explore/mlx 846d1762 (2026-08-22), mlx/backend/metal/allocator.cpp; source read and"
              + " driven",
          List.of(
              MlxLimits.memoryOption(
                  "beyond it cached buffers are released; 1.5 times the working set, at most 95 %"
                      + " of the memory,"),
              MlxLimits.CACHE_OPTION,
              new PolicySpec.Option(
                  WORKING_SET,
                  "75",
                  "%",
                  "percentage of the memory that Metal recommends as the largest working set; 66"
                      + " on Macs with less than 36 GB"),
              new PolicySpec.Option(
                  RESOURCES, "499000", "", "number of buffers that may exist (iogpu.rsrc_limit)")));

  /** A provider; the service loader makes it. */
  public MetalProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    long percent = options.integer(WORKING_SET, 1, 100);
    MlxLimits limits =
        MlxLimits.of(
            options,
            limitBytes,
            MetalAllocator.SLOTS_BYTES,
            device,
            bytes -> MetalAllocator.ownLimitBytes(bytes, workingSetBytes(bytes, percent)));
    return new MetalAllocator(
        workingSetBytes(limits.deviceBytes(), percent),
        options.integer(RESOURCES, 1, Long.MAX_VALUE),
        limits,
        device,
        listener);
  }

  private static long workingSetBytes(long deviceBytes, long percent) {
    return deviceBytes / 100 * percent + deviceBytes % 100 * percent / 100;
  }
}
