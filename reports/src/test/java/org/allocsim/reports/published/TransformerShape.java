package org.allocsim.reports.published;

/**
 * Sizes of a decoder-only transformer.
 *
 * @param name its usual name
 * @param layers number of layers
 * @param hidden width of the residual stream
 * @param inner width inside the feed-forward part
 * @param innerMatrices weight matrices of the feed-forward part, 2, or 3 with a gate
 * @param heads attention heads
 * @param vocabulary number of tokens that it knows
 */
public record TransformerShape(
    String name, int layers, int hidden, int inner, int innerMatrices, int heads, int vocabulary) {
  /** OPT-1.3B (arXiv 2205.01068). */
  public static final TransformerShape OPT_1_3B =
      new TransformerShape("opt-1.3b", 24, 2048, 8192, 2, 32, 50_272);

  /** OPT-13B. */
  public static final TransformerShape OPT_13B =
      new TransformerShape("opt-13b", 40, 5120, 20_480, 2, 40, 50_272);

  /** Vicuna-13B, that is LLaMA-13B (arXiv 2302.13971). */
  public static final TransformerShape VICUNA_13B =
      new TransformerShape("vicuna-13b", 40, 5120, 13_824, 3, 40, 32_000);

  /** GPT-NeoX-20B (arXiv 2204.06745). */
  public static final TransformerShape NEOX_20B =
      new TransformerShape("neox-20b", 44, 6144, 24_576, 2, 64, 50_432);
}
