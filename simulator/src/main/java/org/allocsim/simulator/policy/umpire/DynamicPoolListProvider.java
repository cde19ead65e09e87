package org.allocsim.simulator.policy.umpire;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link DynamicPoolList}s. */
public final class DynamicPoolListProvider extends OptionsProvider {
  private static final PolicySpec SPEC =
      new PolicySpec(
          "umpire-list",
          "Umpire's DynamicPoolList: best fit at the lowest address, coalescing of whole blocks",
          "LLNL/Umpire 5bf5bc1 (2024-10), DynamicPoolList; source read and driven",
          PoolOptions.DESCRIPTION);

  /** A provider; the service loader makes it. */
  public DynamicPoolListProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    return new DynamicPoolList(PoolOptions.of(options), limitBytes, device, listener);
  }
}
