package org.allocsim.analysis.serving;

/**
 * How an engine schedules.
 *
 * @param mostSequences sequences that run together ({@code max_num_seqs})
 * @param stepTokens tokens that a step computes at most ({@code max_num_batched_tokens})
 * @param mostTokens tokens of prompt and answer at most ({@code max_model_len})
 * @param blockTokens tokens of a block or a small page
 * @param watermark share of the blocks that must stay free where a sequence begins
 * @param pageBytes bytes of a page of vAttention
 */
public record ServingSettings(
    int mostSequences,
    int stepTokens,
    int mostTokens,
    int blockTokens,
    double watermark,
    long pageBytes) {
  private static final int SEQUENCES = 256;
  private static final int STEP_TOKENS = 8192;
  private static final int BLOCK_TOKENS = 16;
  private static final long PAGE_BYTES = 2L << 20;

  /** What holds where nobody asks for anything else: vLLM's defaults, and vAttention's page. */
  public static ServingSettings usual(int mostTokens) {
    return new ServingSettings(SEQUENCES, STEP_TOKENS, mostTokens, BLOCK_TOKENS, 0, PAGE_BYTES);
  }
}
