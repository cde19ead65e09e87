package org.allocsim.simulator.policy.pagedkv;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link PagedKvCache}s. */
public final class PagedKvProvider extends OptionsProvider {
  private static final PolicySpec SPEC =
      new PolicySpec(
          "paged-kv",
          "vLLM's paged KV cache; private pools are sequences",
          "vllm-project/vllm, v1/core/block_pool.py 002f349; arXiv 2309.06180; source read",
          List.of(
              new PolicySpec.Option("block-size", "16", "tokens", "tokens per block"),
              new PolicySpec.Option(
                  "token-bytes",
                  "819200",
                  "bytes",
                  "KV cache bytes per token, over all layers; the default is OPT-13B at 16 bits"),
              new PolicySpec.Option(
                  "num-blocks",
                  "0",
                  "blocks",
                  "blocks of the cache (num_gpu_blocks_override); 0: as many as fit in memory"),
              new PolicySpec.Option(
                  "memory-utilization",
                  "0.92",
                  "",
                  "fraction of the free memory that the cache uses (gpu_memory_utilization)"),
              new PolicySpec.Option(
                  "watermark",
                  "0",
                  "",
                  "fraction of the blocks that must stay free when a sequence starts (0.01 in"
                      + " V0)")));

  /** A provider; the service loader makes it. */
  public PagedKvProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    PagedKvSettings shape =
        new PagedKvSettings(
            (int) options.integer("block-size", 1, 1 << 20),
            options.bytes("token-bytes", 1),
            (int) options.integer("num-blocks", 0, PagedKvSettings.MOST_BLOCKS),
            options.fraction("memory-utilization", 0, 1),
            options.fraction("watermark", 0, 1));
    if (shape.tokenBytes() > 1L << 36) {
      throw options.wrong("token-bytes", "at most 64 GiB");
    }
    long blocks = PagedKvCache.blocksFor(shape, limitBytes, device.freeBytes());
    if (blocks > PagedKvSettings.MOST_BLOCKS) {
      throw options.wrong(
          "token-bytes",
          "enough for %d free bytes in at most 2^26 blocks; make it or the block larger"
              .formatted(device.freeBytes()));
    }
    return new PagedKvCache(shape, limitBytes, device, listener);
  }
}
