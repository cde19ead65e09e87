package org.allocsim.analysis.serving;

import java.util.Optional;
import org.allocsim.workloads.model.ServedModel;

/**
 * How an engine schedules.
 *
 * @param mostSequences sequences that run together ({@code max_num_seqs})
 * @param stepTokens tokens that a step computes at most ({@code max_num_batched_tokens})
 * @param mostTokens tokens of prompt and answer at most ({@code max_model_len})
 * @param blockTokens tokens of a block or a small page
 * @param watermark share of the blocks that must stay free where a sequence begins
 * @param pageBytes bytes of a page of vAttention
 * @param speculation how it guesses tokens ahead, if it does
 * @param sglang what SGLang's engine is told beside that
 */
public record ServingSettings(
    int mostSequences,
    int stepTokens,
    int mostTokens,
    int blockTokens,
    double watermark,
    long pageBytes,
    Optional<Speculation> speculation,
    SglangSettings sglang) {
  private static final int SEQUENCES = 256;
  private static final int STEP_TOKENS = 8192;
  private static final int BLOCK_TOKENS = 16;
  private static final long PAGE_BYTES = 2L << 20;

  /** Bytes of a model's weights, of its adapters and of what guesses for it. */
  public long weightBytes(ServedModel model) {
    return model.weightBytes()
        + model.adapterBytes()
        + speculation.map(each -> each.draft().weightBytes()).orElse(0L);
  }

  /** Bytes of keys and values of a token in all layers of a model and of what guesses for it. */
  public long tokenBytes(ServedModel model) {
    return model.tokenBytes() + speculation.map(each -> each.draft().tokenBytes()).orElse(0L);
  }

  /** What holds where nobody asks for anything else: vLLM's defaults, and vAttention's page. */
  public static ServingSettings usual(int mostTokens) {
    return new ServingSettings(
        SEQUENCES,
        STEP_TOKENS,
        mostTokens,
        BLOCK_TOKENS,
        0,
        PAGE_BYTES,
        Optional.empty(),
        SglangSettings.USUAL);
  }
}
