package org.allocsim.simulator.policy.pytorch.conf;

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
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;

/**
 * PyTorch's caching allocator on Intel's GPUs. It decides as that of CUDA does under default
 * settings, or with expandable segments, and has no other setting. Of equally large free blocks it
 * takes the lowest address, as CUDA's did up to 2.12.
 *
 * <p>Source: pytorch/pytorch {@code c10/xpu/XPUCachingAllocator.cpp}, 00d512a (2026); read, not
 * driven.
 */
public final class XpuAllocatorProvider implements PolicyProvider {
  /** The newest release of which CUDA's allocator breaks ties as Intel's does. */
  private static final PyTorchVersion RULES = PyTorchVersion.V2_12;

  private static final String EXPANDABLE = "expandable-segments";

  private static final PolicySpec SPEC =
      new PolicySpec(
          "torch-xpu",
          "PyTorch on Intel GPUs: the rules of pytorch without most of its settings",
          "pytorch/pytorch, c10/xpu/XPUCachingAllocator.cpp, 00d512a (2026); source read",
          List.of(
              new PolicySpec.Option(
                  EXPANDABLE,
                  "false",
                  "",
                  "whether segments grow in place (PYTORCH_ALLOC_CONF=expandable_segments:True)")));

  /** A provider; the service loader makes it. */
  public XpuAllocatorProvider() {}

  @Override
  public PolicySpec spec() {
    return SPEC;
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    PolicyOptions options = new PolicyOptions(SPEC, settings);
    String conf = "expandable_segments:" + (options.flag(EXPANDABLE) ? "True" : "False");
    AllocatorConfig config;
    try {
      config = ConfigParser.parse(conf, RULES).allocator();
    } catch (ConfigException e) {
      throw new IllegalStateException(e);
    }
    return CachingAllocatorProvider.create(
        config, RULES, settings.limitBytes(), future, device, listener);
  }
}
