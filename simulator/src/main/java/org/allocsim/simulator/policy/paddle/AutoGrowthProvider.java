package org.allocsim.simulator.policy.paddle;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link AutoGrowthAllocator}s. */
public final class AutoGrowthProvider extends OptionsProvider {
  private static final String CHUNK = "chunk-size";
  private static final String ALIGNMENT = "alignment";
  private static final String FREE_IDLE = "free-idle-chunk";
  private static final String FREE_FIRST = "free-when-no-cache-hit";
  private static final String WARMUP = "warmup-requests";

  private static final PolicySpec SPEC =
      new PolicySpec(
          "paddle-auto-growth",
          "PaddlePaddle's auto growth best fit: high ends of free blocks, chunks of the request",
          "PaddlePaddle/Paddle, auto_growth_best_fit_allocator.cc, 11ef52e, driven, and"
              + " _v2.cc, 0ab6998; source read",
          List.of(
              new PolicySpec.Option(
                  CHUNK,
                  "0",
                  "bytes",
                  "minimum size of a chunk (FLAGS_auto_growth_chunk_size_in_mb, in MiB there)"),
              new PolicySpec.Option(
                  ALIGNMENT, "256", "bytes", "unit of sizes (FLAGS_alignment_size)"),
              new PolicySpec.Option(
                  FREE_IDLE,
                  "false",
                  "",
                  "return chunks as soon as they are free (FLAGS_free_idle_chunk)"),
              new PolicySpec.Option(
                  FREE_FIRST,
                  "false",
                  "",
                  "return free chunks before growing (FLAGS_free_when_no_cache_hit)"),
              new PolicySpec.Option(
                  WARMUP,
                  "0",
                  "",
                  "first requests that version 2 serves in its warm-up, with blocks of exactly"
                      + " their size (paddle.base.core._set_warmup)")));

  /** A provider; the service loader makes it. */
  public AutoGrowthProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    long alignmentBytes = options.bytes(ALIGNMENT, 1);
    if (Long.bitCount(alignmentBytes) != 1) {
      throw options.wrong(ALIGNMENT, "a power of two");
    }
    return new AutoGrowthAllocator(
        new AutoGrowthSettings(
            alignmentBytes,
            options.bytes(CHUNK, 0),
            options.flag(FREE_IDLE),
            options.flag(FREE_FIRST),
            options.integer(WARMUP, 0, Long.MAX_VALUE)),
        limitBytes,
        device,
        listener);
  }
}
