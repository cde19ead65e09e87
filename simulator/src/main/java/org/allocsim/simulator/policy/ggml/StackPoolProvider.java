package org.allocsim.simulator.policy.ggml;

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
import org.allocsim.simulator.policy.UnfitTraceException;

/** Makes {@link StackPool}s. */
public final class StackPoolProvider implements PolicyProvider {
  private static final String GRANULARITY = "granularity";
  private static final String FREES = "frees";
  private static final String IN_ORDER = "in-order";
  private static final String DEFERRED = "deferred";

  /** Smallest granularity, a page of the host. */
  private static final long MIN_GRANULARITY_BYTES = 4096;

  private static final PolicySpec SPEC =
      new PolicySpec(
          "ggml-vmm",
          "ggml-cuda's pool with virtual memory: a stack in a range of 32 GiB, freed from the top",
          "ggml-org/ggml d99724f2 (2026-08-21), ggml_cuda_pool_vmm; source read and driven",
          List.of(
              new PolicySpec.Option(
                  GRANULARITY, "2MiB", "bytes", "unit in which the device creates memory"),
              new PolicySpec.Option(
                  FREES,
                  IN_ORDER,
                  "",
                  "in-order: only programs that free in reverse order of allocation, as ggml"
                      + " asserts; deferred: other programs hold a freed block until those above"
                      + " it are freed")));

  /** A provider; the service loader makes it. */
  public StackPoolProvider() {}

  @Override
  public PolicySpec spec() {
    return SPEC;
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException, UnfitTraceException {
    PolicyOptions options = new PolicyOptions(SPEC, settings);
    long granularity = options.bytes(GRANULARITY, MIN_GRANULARITY_BYTES);
    if (Long.bitCount(granularity) != 1 || granularity > StackPool.RANGE_BYTES) {
      throw options.wrong(GRANULARITY, "a power of two up to 32GiB");
    }
    boolean defers =
        switch (options.text(FREES).strip()) {
          case IN_ORDER -> false;
          case DEFERRED -> true;
          default -> throw options.wrong(FREES, "in-order or deferred");
        };
    if (!defers) {
      FreeOrder.require(future);
    }
    return new StackPool(granularity, defers, settings.limitBytes(), device, listener);
  }
}
