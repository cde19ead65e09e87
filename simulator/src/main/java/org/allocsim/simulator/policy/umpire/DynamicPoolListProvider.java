package org.allocsim.simulator.policy.umpire;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link DynamicPoolList}s. */
public final class DynamicPoolListProvider implements PolicyProvider {
  private static final PolicySpec SPEC =
      new PolicySpec(
          "umpire-list",
          "Umpire's DynamicPoolList: best fit at the lowest address, coalescing of whole blocks",
          "LLNL/Umpire 5bf5bc1 (2024-10), DynamicPoolList; source read",
          PoolOptions.DESCRIPTION);

  /** A provider; the service loader makes it. */
  public DynamicPoolListProvider() {}

  @Override
  public PolicySpec spec() {
    return SPEC;
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    return new DynamicPoolList(
        PoolOptions.of(SPEC, settings), settings.limitBytes(), device, listener);
  }
}
