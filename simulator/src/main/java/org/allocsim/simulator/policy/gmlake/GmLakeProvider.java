package org.allocsim.simulator.policy.gmlake;

import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.HandleMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.policy.UnfitTraceException;

/** Makes {@link GmLakeAllocator}s. */
public final class GmLakeProvider implements PolicyProvider {
  private static final PolicySpec SPEC =
      new PolicySpec(
              "gmlake",
              "GMLake: caching allocator that stitches free blocks by virtual memory",
              "intelligent-machine-learning/glake 0274a9c (2024-07), GMLake; arXiv 2401.08156;"
                  + " source read, driver calls compared on a GPU",
              List.of(
                  new PolicySpec.Option(
                      "stitching", "true", "", "false is plain caching (vmmDefragment=0)"),
                  new PolicySpec.Option(
                      "frag-limit",
                      "512MiB",
                      "bytes",
                      "smallest request that is stitched (fragLimit)"),
                  new PolicySpec.Option(
                      "reuse-limit",
                      "10",
                      "times",
                      "how much larger a reused stitched block may be than the request"
                          + " (reuseLimit)"),
                  new PolicySpec.Option(
                      "defrag-level", "0", "", "first of three attempts to stitch (defragLevel)"),
                  new PolicySpec.Option(
                      "auto-gc",
                      "1000GiB",
                      "bytes",
                      "number of stitched addresses above which stitched blocks are collected"
                          + " (autoGC)"),
                  new PolicySpec.Option(
                      "re-alloc",
                      "false",
                      "",
                      "true requests only the missing memory from the device (reAlloc)")))
          .inPyTorch("PyTorch built with GMLake's sources");

  /** A provider; the service loader makes it. */
  public GmLakeProvider() {}

  @Override
  public PolicySpec spec() {
    return SPEC;
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException, UnfitTraceException {
    PolicyOptions options = new PolicyOptions(SPEC, settings);
    GmLakeSettings gmLake =
        new GmLakeSettings(
            options.flag("stitching"),
            options.bytes("frag-limit", 0),
            options.fraction("reuse-limit", 1, 1e9),
            (int) options.integer("defrag-level", 0, 5),
            options.bytes("auto-gc", 0),
            options.flag("re-alloc"));
    Optional<HandleMemory> memory = device.handleMemory();
    if (gmLake.stitches() && memory.isEmpty()) {
      throw new UnfitTraceException("a device whose memory can be mapped at several addresses");
    }
    return new GmLakeAllocator(
        gmLake, settings.limitBytes(), device, memory.orElse(null), listener);
  }
}
