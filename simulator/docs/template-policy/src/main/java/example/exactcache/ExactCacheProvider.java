package example.exactcache;

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

/** Describes the policy and makes it. */
public final class ExactCacheProvider implements PolicyProvider {
  private static final String UNIT = "unit";

  private static final PolicySpec SPEC =
      new PolicySpec(
          "exact-cache",
          "a cache of blocks that are reused for exactly their size",
          "none: the template of a policy",
          List.of(
              new PolicySpec.Option(UNIT, "512", "bytes", "sizes are rounded up to multiples")));

  /** Called by the service loader. */
  public ExactCacheProvider() {}

  @Override
  public PolicySpec spec() {
    return SPEC;
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests foresight, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    PolicyOptions options = new PolicyOptions(SPEC, settings);
    return new ExactCacheAllocator(
        options.bytes(UNIT, 1), settings.limitBytes(), device, listener);
  }
}
