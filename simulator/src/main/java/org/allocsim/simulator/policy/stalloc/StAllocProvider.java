package org.allocsim.simulator.policy.stalloc;

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

/** Makes {@link StAllocAllocator}s whose plan comes from the trace that they will serve. */
public final class StAllocProvider implements PolicyProvider {
  private static final PolicySpec SPEC =
      new PolicySpec(
              PolicySpec.Kind.OFFLINE,
              "stalloc",
              "STAlloc: places planned from a profile of the program, with a caching fallback",
              "infinigence/STAlloc 3a9f97f (2025-09), Allocator; arXiv 2507.16274; source read; the"
                  + " planner is a model, the fallback is that of PyTorch 2.11",
              List.of())
          .inPyTorch("torch.cuda.memory.CUDAPluggableAllocator with STAlloc's library");

  /** A provider; the service loader makes it. */
  public StAllocProvider() {}

  @Override
  public PolicySpec spec() {
    return SPEC;
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException, UnfitTraceException {
    new PolicyOptions(SPEC, settings);
    long maxBytes = device.totalBytes() < 0 ? Long.MAX_VALUE >> 3 : device.totalBytes();
    if (settings.limitBytes() >= 0) {
      maxBytes = Math.min(maxBytes, settings.limitBytes());
    }
    return new StAllocAllocator(
        PlanMaker.plan(future, maxBytes), settings.limitBytes(), device, listener);
  }
}
