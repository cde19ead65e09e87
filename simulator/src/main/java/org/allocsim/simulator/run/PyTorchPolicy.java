package org.allocsim.simulator.run;

import java.util.Optional;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.message.OutOfMemoryMessage.Template;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.CachingAllocatorProvider;

/**
 * PyTorch's caching allocator.
 *
 * @param config its settings
 * @param version whose rules it follows
 */
record PyTorchPolicy(AllocatorConfig config, PyTorchVersion version) implements RunPolicy {
  @Override
  public AllocatorPolicy create(
      long limitBytes, FutureRequests requests, DeviceMemory memory, EffectListener listener) {
    return CachingAllocatorProvider.create(config, version, limitBytes, requests, memory, listener);
  }

  @Override
  public long oversizeBytes() {
    return config.maxSplitBytes();
  }

  @Override
  public Optional<Template> wording() {
    return Optional.of(Template.of(version, config.expandableSegments()));
  }
}
