package org.allocsim.simulator.policy.pytorch.conf;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PrivatePoolOptions;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;

/** Makes {@link CachingAllocator}s. */
public final class CachingAllocatorProvider implements PolicyProvider {
  private static final String CONF = "conf";
  private static final String VERSION = "torch-version";

  private static final PolicySpec SPEC =
      new PolicySpec(
              "pytorch",
              "PyTorch's CUDA caching allocator, native or with expandable segments",
              "pytorch/pytorch, c10/cuda/CUDACachingAllocator.cpp; " + PyTorchVersion.evidence(),
              List.of(
                  new PolicySpec.Option(
                      CONF, "", "", "configuration string, as in PYTORCH_CUDA_ALLOC_CONF"),
                  new PolicySpec.Option(
                      VERSION,
                      PyTorchVersion.DEFAULT.id(),
                      "",
                      "PyTorch release whose rules apply")))
          .inPyTorch("PYTORCH_CUDA_ALLOC_CONF");

  /** A provider; the service loader makes it. */
  public CachingAllocatorProvider() {}

  @Override
  public PolicySpec spec() {
    return SPEC;
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    return create(
        config(settings), release(settings), settings.limitBytes(), future, device, listener);
  }

  /** An instance that is ready for the changes of settings and limit that requests may bring. */
  public static CachingAllocator create(
      AllocatorConfig config,
      PyTorchVersion version,
      long limitBytes,
      FutureRequests future,
      DeviceMemory device,
      EffectListener listener) {
    CachingAllocator allocator =
        new CachingAllocator(config, version, limitBytes, device, listener);
    if (future.changeAllocator()) {
      allocator.expectChanges(ConfigParser::changeOrKeep);
    }
    future
        .poolOptions()
        .forEach((pool, options) ->
            allocator.definePool(
                pool, new PrivatePoolOptions(options.useOnOom(), options.noSplit(), false)));
    return allocator;
  }

  @Override
  public long oversizeBytes(PolicySettings settings) throws PolicyOptionException {
    return config(settings).maxSplitBytes();
  }

  /**
   * The settings of an instance.
   *
   * @throws PolicyOptionException where its release refuses them
   */
  public static AllocatorConfig config(PolicySettings settings) throws PolicyOptionException {
    try {
      return ConfigParser.parse(settings.option(CONF, ""), release(settings)).allocator();
    } catch (ConfigException e) {
      throw new PolicyOptionException(e.sentence());
    }
  }

  /**
   * The release whose rules an instance follows.
   *
   * @throws PolicyOptionException where there is no such release
   */
  public static PyTorchVersion release(PolicySettings settings) throws PolicyOptionException {
    try {
      return PyTorchVersion.of(settings.option(VERSION, PyTorchVersion.DEFAULT.id()));
    } catch (IllegalArgumentException e) {
      throw new PolicyOptionException(e.getMessage());
    }
  }
}
