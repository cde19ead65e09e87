package org.allocsim.analysis.serving;

import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.serving.kvcache.PagedRules;
import org.allocsim.workloads.model.LayerGroup;
import org.allocsim.workloads.model.PageSharing;
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

  /** The layers of a model and of what guesses for it. */
  List<LayerGroup> layers(ServedModel model) {
    return speculation.map(each -> model.groupsWith(each.draft())).orElse(model.groups());
  }

  /** Whether a head of the model guesses, which needs the hidden states of stored prefixes. */
  boolean hasHead() {
    return speculation.map(Speculation::isHead).orElse(false);
  }

  /**
   * Tokens in sequences of {@code max_model_len} tokens that vLLM's cache holds, as its log counts
   * them: blocks of the cache by the blocks of such a sequence. Layers with a window count the
   * window and what steps in flight may take; layers that keep a state count its block, and a
   * second one where the release remembers states.
   *
   * <p><b>Source.</b> vllm-project/vllm, {@code v1/core/kv_cache_utils.py}, {@code
   * get_kv_cache_capacity} (2026), and {@code max_memory_usage_bytes} of {@code
   * v1/kv_cache_interface.py}. Earlier releases logged the blocks of one group, which is the same
   * where all layers store all tokens.
   *
   * <p><b>Deviations.</b> States of drafted tokens are left out.
   */
  public long cacheTokens(ServedModel model, long cacheBytes, VllmRelease release) {
    PagedRules rules = release.pagedRules();
    PageSharing sharing =
        PageSharing.of(release.pagedLayers(layers(model), hasHead()), rules.padding());
    long blocks = cacheBytes / (blockTokens * sharing.groupTokenBytes());
    long blocksOfSequence = 0;
    for (LayerGroup group : sharing.groups()) {
      blocksOfSequence += blocksOfSequence(group, rules, release.tokensInFlight(this));
    }
    return (long) ((double) blocks / blocksOfSequence * mostTokens);
  }

  private long blocksOfSequence(LayerGroup group, PagedRules rules, int tokensInFlight) {
    if (group.keepsState()) {
      return rules.keepsStates() ? 2 : 1;
    }
    long tokens = mostTokens;
    boolean isSliding = group.windowTokens() > 0 && !group.isChunked();
    if (group.windowTokens() > 0) {
      long window = group.windowTokens() - (isSliding ? 1L : 0L);
      tokens = Math.min(tokens, window + tokensInFlight);
    }
    // Where the window begins within a block, it reaches into one more.
    return Math.ceilDiv(tokens, (long) blockTokens) + (isSliding ? 1 : 0);
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
