package org.allocsim.workloads.program.llama;

import org.allocsim.workloads.model.ModelShape;

/**
 * How llama.cpp is started; in brackets its own options.
 *
 * @param model the model
 * @param format how its weights are stored
 * @param gpuLayers layers on the GPU, one more for the output ({@code -ngl})
 * @param contextTokens tokens of all sequences together ({@code -c})
 * @param microBatchTokens most tokens that are computed at once ({@code -ub}, and {@code -b} where
 *     that is less)
 * @param sequences sequences at the same time ({@code -np})
 * @param isUnified whether they share one cache ({@code -kvu})
 * @param keyType type of cached keys ({@code -ctk})
 * @param valueType type of cached values ({@code -ctv})
 * @param hasFlashAttention whether attention is one operation ({@code -fa})
 * @param cachesAll whether layers with a window cache all tokens ({@code --swa-full})
 */
public record LlamaCppSettings(
    ModelShape model,
    WeightFormat format,
    int gpuLayers,
    int contextTokens,
    int microBatchTokens,
    int sequences,
    boolean isUnified,
    GgmlType keyType,
    GgmlType valueType,
    boolean hasFlashAttention,
    boolean cachesAll) {
  /** Refuses what llama.cpp refuses, or what is not modelled, with a sentence. */
  public LlamaCppSettings {
    require(
        model.experts() == 1 && model.innerMatrices() == 3,
        "the compute graph is that of dense models with a gated feed-forward part; %s is none"
            .formatted(model.name()));
    require(
        hasFlashAttention || !valueType.isQuantized(),
        "a quantized cache of values (ctv=%s) needs flash attention; add fa=true"
            .formatted(valueType.label()));
    long rowNumbers = (long) model.keyHeads() * model.headWidth();
    require(
        keyType.fits(rowNumbers) && valueType.fits(rowNumbers) && model.hidden() % 256 == 0,
        "rows of %s do not fill whole blocks of the types".formatted(model.name()));
    require(
        sequences <= contextTokens,
        "-c %d is less than a token for each of %d sequences".formatted(contextTokens, sequences));
  }

  private static void require(boolean holds, String sentence) {
    if (!holds) {
      throw new IllegalArgumentException(sentence);
    }
  }

  /** Caches beside each other: one for each sequence unless they share one. */
  int streams() {
    return isUnified ? 1 : sequences;
  }

  /** First of the layers on the GPU. */
  int firstGpuLayer() {
    return Math.max(0, model.layers() - gpuLayers);
  }

  /** Whether all layers and the output are on the GPU. */
  boolean isAllOnGpu() {
    return gpuLayers > model.layers();
  }
}
