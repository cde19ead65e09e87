package org.allocsim.simulator.policy.offline;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link MaxLive}s. */
public final class MaxLiveProvider extends OptionsProvider {
  private static final PolicySpec SPEC =
      new PolicySpec(
          PolicySpec.Kind.BOUND,
          "max-live",
          "the memory live at each moment: no allocator that keeps blocks in place can reserve"
              + " less",
          "sum of the live requests, unrounded; a definition",
          List.of());

  /** A provider; the service loader makes it. */
  public MaxLiveProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    return new MaxLive(limitBytes, device, listener);
  }
}
