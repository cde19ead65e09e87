package org.allocsim.simulator.policy.paddle;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link VirtualMemoryGrowth}s. */
public final class VirtualMemoryProvider extends OptionsProvider {
  private static final String SMALL_POOL = "small-pool-size";

  private static final PolicySpec SPEC =
      new PolicySpec(
          "paddle-virtual-memory",
          "PaddlePaddle's virtual memory auto growth: best fit in one range that grows in place",
          "PaddlePaddle/Paddle, virtual_memory_auto_growth_best_fit_allocator.cc, 032d325; source"
              + " read and, in November 2026, driven",
          List.of(
              new PolicySpec.Option(
                  SMALL_POOL,
                  "0",
                  "bytes",
                  "largest request of a pool of its own, 0 for a single pool"
                      + " (FLAGS_vmm_small_pool_size_in_mb, in MiB there)")));

  /** A provider; the service loader makes it. */
  public VirtualMemoryProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    return new VirtualMemoryGrowth(options.bytes(SMALL_POOL, 0), limitBytes, device, listener);
  }
}
