package org.allocsim.simulator.policy.pinned;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.HostMemoryListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link PinnedHostAllocator}s; the device they are made with stands for the host. */
public final class PinnedHostProvider implements PolicyProvider {
  private static final String ROUND_THRESHOLD = "pinned-max-round-threshold";
  private static final String MAX_CACHED = "pinned-max-cached-size";
  private static final String BACKGROUND = "pinned-use-background-threads";
  private static final String UNLIMITED = "unlimited";

  private static final PolicySpec SPEC =
      new PolicySpec(
          "torch-host",
          "PyTorch's pinned host memory: all requests as pinned buffers, the capacity as RAM",
          "pytorch/pytorch, aten/src/ATen/core/CachingHostAllocator.h, release 2.11; options of"
              + " 2.13 and 2.14 read; 2.11.0 recorded, 2.14.1 driven",
          List.of(
              new PolicySpec.Option(
                  ROUND_THRESHOLD,
                  UNLIMITED,
                  "bytes",
                  "larger requests are not rounded up to a power of two"
                      + " (pinned_max_round_threshold_mb, in MiB there)"),
              new PolicySpec.Option(
                  MAX_CACHED,
                  UNLIMITED,
                  "bytes",
                  "larger blocks are neither rounded nor cached"
                      + " (pinned_max_cached_size_mb, in MiB there)"),
              new PolicySpec.Option(
                  BACKGROUND,
                  "false",
                  "",
                  "whether a thread returns blocks as soon as their copies have finished, instead"
                      + " of the next request")));

  /** A provider; the service loader makes it. */
  public PinnedHostProvider() {}

  @Override
  public PolicySpec spec() {
    return SPEC;
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    return create(settings, device, listener, HostMemoryListener.NONE);
  }

  /**
   * As {@link #create(PolicySettings, FutureRequests, DeviceMemory, EffectListener)}, heard by size
   * class as well.
   */
  public PinnedHostAllocator create(
      PolicySettings settings,
      DeviceMemory host,
      EffectListener listener,
      HostMemoryListener hostListener)
      throws PolicyOptionException {
    PolicyOptions options = new PolicyOptions(SPEC, settings);
    return new PinnedHostAllocator(
        new HostSettings(
            bytes(options, ROUND_THRESHOLD), bytes(options, MAX_CACHED), options.flag(BACKGROUND)),
        settings.limitBytes(),
        host,
        listener,
        hostListener);
  }

  private static long bytes(PolicyOptions options, String name) throws PolicyOptionException {
    return options.text(name).equals(UNLIMITED) ? Long.MAX_VALUE : options.bytes(name, 0);
  }
}
