package org.allocsim.simulator.policy.umpire;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link QuickPool}s. */
public final class QuickPoolProvider extends OptionsProvider {
  private static final PolicySpec SPEC =
      new PolicySpec(
          "umpire-quick",
          "Umpire's QuickPool: best fit, exact cuts, coalescing when all is free",
          "LLNL/Umpire 5bf5bc1 (2024-10), QuickPool; source read and driven",
          PoolOptions.DESCRIPTION);

  /** A provider; the service loader makes it. */
  public QuickPoolProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    return new QuickPool(PoolOptions.of(options), limitBytes, device, listener);
  }
}
