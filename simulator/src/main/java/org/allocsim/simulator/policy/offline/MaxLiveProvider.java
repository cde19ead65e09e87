package org.allocsim.simulator.policy.offline;

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

/** Makes {@link MaxLive}s. */
public final class MaxLiveProvider implements PolicyProvider {
  private static final PolicySpec SPEC =
      new PolicySpec(
          PolicySpec.Kind.BOUND,
          "max-live",
          "what is live at each moment: no allocator that leaves blocks in place reserves less",
          "sum of the live requests, unrounded; a definition",
          List.of());

  /** A provider; the service loader makes it. */
  public MaxLiveProvider() {}

  @Override
  public PolicySpec spec() {
    return SPEC;
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    new PolicyOptions(SPEC, settings);
    return new MaxLive(settings.limitBytes(), device, listener);
  }
}
