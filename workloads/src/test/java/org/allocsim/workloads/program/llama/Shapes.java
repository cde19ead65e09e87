package org.allocsim.workloads.program.llama;

import org.allocsim.workloads.model.ModelShape;
import org.allocsim.workloads.model.StateLayers;

/** Models whose buffers llama.cpp printed, and settings that differ in what a test is about. */
final class Shapes {
  static final ModelShape LLAMA_3_8B =
      dense("llama-3.1-8b", 32, 4096, 14_336, 32, 8, 128_256, false);
  static final ModelShape LLAMA_3_3B = dense("llama-3.2-3b", 28, 3072, 8192, 24, 8, 128_256, true);
  static final ModelShape QWEN_2_3B = dense("qwen2.5-3b", 36, 2048, 11_008, 16, 2, 151_936, true);
  static final ModelShape QWEN_3_4B = dense("qwen3-4b", 36, 2560, 9728, 32, 8, 151_936, true);

  /** Qwen3-30B-A3B, but for its experts: with a long context its attention needs the most. */
  static final ModelShape QWEN_3_30B = dense("qwen3-30b", 48, 2048, 768, 32, 4, 151_936, false);

  private Shapes() {}

  private static ModelShape dense(
      String name,
      int layers,
      int hidden,
      int inner,
      int heads,
      int keyHeads,
      int vocabulary,
      boolean isTied) {
    return shape(name, layers, hidden, inner, heads, keyHeads, 128, vocabulary, isTied, 0, layers);
  }

  static ModelShape shape(
      String name,
      int layers,
      int hidden,
      int inner,
      int heads,
      int keyHeads,
      int headWidth,
      int vocabulary,
      boolean isTied,
      int windowTokens,
      int fullLayers) {
    return new ModelShape(
        name,
        layers,
        hidden,
        inner,
        3,
        heads,
        keyHeads,
        headWidth,
        vocabulary,
        isTied,
        131_072,
        windowTokens,
        false,
        fullLayers,
        1,
        1,
        StateLayers.NONE,
        false,
        false);
  }

  /** All layers on the GPU, one sequence, a cache of float16. */
  static LlamaCppSettings settings(ModelShape model, int context, boolean flashAttention) {
    return new LlamaCppSettings(
        model,
        WeightFormat.Q4_K_M,
        999,
        context,
        512,
        1,
        true,
        GgmlType.F16,
        GgmlType.F16,
        flashAttention,
        false);
  }

  /** A size as llama.cpp prints it. */
  static String mib(long bytes) {
    return "%.2f".formatted(bytes / 0x1p20);
  }
}
