package org.allocsim.simulator.run;

import java.util.Optional;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.message.OutOfMemoryMessage.Template;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.pytorch.conf.CachingAllocatorProvider;

/**
 * An installed policy with its options.
 *
 * @param choice the policy and its options
 */
record ChosenPolicy(PolicyChoice choice) implements RunPolicy {
  private static final long ANY_LIMIT = -1;

  @Override
  public AllocatorPolicy create(
      long limitBytes, FutureRequests requests, DeviceMemory memory, EffectListener listener)
      throws UnfitTraceException, PolicyOptionException {
    return choice.provider().create(settings(limitBytes), requests, memory, listener);
  }

  @Override
  public long oversizeBytes() throws PolicyOptionException {
    return choice.provider().oversizeBytes(settings(ANY_LIMIT));
  }

  @Override
  public Optional<Template> wording() throws PolicyOptionException {
    if (!(choice.provider() instanceof CachingAllocatorProvider)) {
      return Optional.empty();
    }
    PolicySettings settings = settings(ANY_LIMIT);
    return Optional.of(
        Template.of(
            CachingAllocatorProvider.release(settings),
            CachingAllocatorProvider.config(settings).expandableSegments()));
  }

  private PolicySettings settings(long limitBytes) {
    return new PolicySettings(limitBytes, choice.options());
  }
}
