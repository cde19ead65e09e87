package org.allocsim.simulator.policy.rmm;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link ArenaMemoryResource}s. */
public final class ArenaMemoryResourceProvider extends OptionsProvider {
  private static final String SIZE = "size";
  private static final String SIZE_CLASSES = "size-classes";
  private static final String HALF = "half";

  private static final PolicySpec SPEC =
      new PolicySpec(
              "rmm-arena",
              "RMM's arena_memory_resource: first fit in one region, superblocks per stream",
              "rapidsai/rmm 5d50a37 (2026-07), arena_memory_resource; source read and driven",
              List.of(
                  new PolicySpec.Option(
                      SIZE,
                      HALF,
                      "bytes",
                      "size of the arena, or 'half' for half of the free memory"),
                  new PolicySpec.Option(
                      SIZE_CLASSES,
                      "false",
                      "",
                      "round sizes up to size classes, as with RMM_ARENA_USE_SIZE_CLASSES")))
          .inPyTorch("rmm.mr.ArenaMemoryResource and rmm.allocators.torch.rmm_torch_allocator");

  /** A provider; the service loader makes it. */
  public ArenaMemoryResourceProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    long arenaBytes =
        options.text(SIZE).strip().equals(HALF)
            ? ArenaMemoryResource.HALF_OF_FREE
            : options.bytes(SIZE, ArenaMemoryResource.SUPERBLOCK_BYTES);
    return new ArenaMemoryResource(
        arenaBytes, options.flag(SIZE_CLASSES), limitBytes, device, listener);
  }
}
