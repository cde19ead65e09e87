package org.allocsim.simulator.policy;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;

/** A provider whose instances depend on their options and limit only, not on requests to come. */
public abstract class OptionsProvider implements PolicyProvider {
  private final PolicySpec spec;

  /** A provider of what a specification describes. */
  protected OptionsProvider(PolicySpec spec) {
    this.spec = spec;
  }

  @Override
  public final PolicySpec spec() {
    return spec;
  }

  @Override
  public final AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    return create(new PolicyOptions(spec, settings), settings.limitBytes(), device, listener);
  }

  /**
   * An instance that holds nothing.
   *
   * @param limitBytes most bytes that it may hold from the device, −1 without a limit
   */
  protected abstract AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException;
}
