package org.allocsim.simulator.policy.umpire;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link QuickPool}s. */
public final class QuickPoolProvider implements PolicyProvider {
  private static final PolicySpec SPEC =
      new PolicySpec(
          "umpire-quick",
          "Umpire's QuickPool: best fit, exact cuts, coalescing when all is free",
          "LLNL/Umpire 5bf5bc1 (2024-10), QuickPool; source read",
          PoolOptions.DESCRIPTION);

  /** A provider; the service loader makes it. */
  public QuickPoolProvider() {}

  @Override
  public PolicySpec spec() {
    return SPEC;
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    return new QuickPool(PoolOptions.of(SPEC, settings), settings.limitBytes(), device, listener);
  }
}
