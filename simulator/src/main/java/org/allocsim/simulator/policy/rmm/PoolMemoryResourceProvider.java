package org.allocsim.simulator.policy.rmm;

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

/** Makes {@link PoolMemoryResource}s. */
public final class PoolMemoryResourceProvider implements PolicyProvider {
  private static final String INITIAL = "initial";
  private static final String MAX = "max";
  private static final String HALF = "half";
  private static final String NONE = "none";

  private static final PolicySpec SPEC =
      new PolicySpec(
              "rmm-pool",
              "RMM's pool_memory_resource: best fit in one growing pool, one free list per stream",
              "rapidsai/rmm 5d50a37 (2026-07), pool_memory_resource; source read and driven",
              List.of(
                  new PolicySpec.Option(
                      INITIAL,
                      "0",
                      "bytes",
                      "reserved at the first request, a multiple of 256; 'half' means half of the"
                          + " free memory, the default of RMM's Python classes"),
                  new PolicySpec.Option(
                      MAX, NONE, "bytes", "maximum size of the pool, a multiple of 256, or none")))
          .inPyTorch("rmm.mr.PoolMemoryResource and rmm.allocators.torch.rmm_torch_allocator");

  /** A provider; the service loader makes it. */
  public PoolMemoryResourceProvider() {}

  @Override
  public PolicySpec spec() {
    return SPEC;
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    PolicyOptions options = new PolicyOptions(SPEC, settings);
    long initialBytes =
        options.text(INITIAL).strip().equals(HALF)
            ? PoolMemoryResource.HALF_OF_FREE
            : multiple(options, INITIAL);
    long maximumBytes =
        options.text(MAX).strip().equals(NONE)
            ? PoolMemoryResource.UNLIMITED
            : multiple(options, MAX);
    if (maximumBytes != PoolMemoryResource.UNLIMITED && initialBytes > maximumBytes) {
      throw options.wrong(INITIAL, "at most the maximum, " + maximumBytes + " bytes");
    }
    return new PoolMemoryResource(
        initialBytes, maximumBytes, settings.limitBytes(), future, device, listener);
  }

  private static long multiple(PolicyOptions options, String name) throws PolicyOptionException {
    long bytes = options.bytes(name, 0);
    if (bytes != Upstream.alignDown(bytes)) {
      throw options.wrong(name, "a multiple of 256 bytes");
    }
    return bytes;
  }
}
