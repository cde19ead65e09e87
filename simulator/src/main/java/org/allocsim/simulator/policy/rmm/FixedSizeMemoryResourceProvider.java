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

/** Makes {@link FixedSizeMemoryResource}s. */
public final class FixedSizeMemoryResourceProvider implements PolicyProvider {
  private static final String BLOCK = "block";
  private static final String BLOCKS = "blocks";

  private static final long MAX_BLOCK_BYTES = 1L << 40;
  private static final long MAX_CHUNK_BLOCKS = 1 << 20;

  private static final PolicySpec SPEC =
      new PolicySpec(
              "rmm-fixed",
              "RMM's fixed_size_memory_resource: blocks of one size, first in, first out",
              "rapidsai/rmm 5d50a37 (2026-07), fixed_size_memory_resource; source read and driven",
              List.of(
                  new PolicySpec.Option(
                      BLOCK, "1MiB", "bytes", "size of every block, rounded up to 256"),
                  new PolicySpec.Option(
                      BLOCKS,
                      Integer.toString(BinningMemoryResource.CHUNK_BLOCKS),
                      "",
                      "blocks taken from the device at a time")))
          .inPyTorch("rmm.mr.FixedSizeMemoryResource and rmm.allocators.torch.rmm_torch_allocator");

  /** A provider; the service loader makes it. */
  public FixedSizeMemoryResourceProvider() {}

  @Override
  public PolicySpec spec() {
    return SPEC;
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    PolicyOptions options = new PolicyOptions(SPEC, settings);
    long blockBytes = Upstream.alignUp(options.bytes(BLOCK, 1));
    if (blockBytes > MAX_BLOCK_BYTES) {
      throw options.wrong(BLOCK, "at most 1 TiB");
    }
    int chunkBlocks = (int) options.integer(BLOCKS, 1, MAX_CHUNK_BLOCKS);
    return new FixedSizeMemoryResource(
        blockBytes, chunkBlocks, settings.limitBytes(), future, device, listener);
  }
}
