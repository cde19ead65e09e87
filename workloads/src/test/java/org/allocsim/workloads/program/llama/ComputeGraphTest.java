package org.allocsim.workloads.program.llama;

import static org.allocsim.workloads.program.llama.Shapes.mib;
import static org.allocsim.workloads.program.llama.Shapes.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.workloads.model.ModelShape;
import org.junit.jupiter.api.Test;

/** Sizes are those of "CUDA0 compute buffer" and "CUDA_Host compute buffer" in published logs. */
class ComputeGraphTest {
  private static String buffers(ModelShape model, int context) {
    return printed(settings(model, context, false));
  }

  private static String printed(LlamaCppSettings settings) {
    ComputeGraph.Buffers buffers = ComputeGraph.buffers(settings);
    return mib(buffers.gpuBytes()) + " " + mib(buffers.hostBytes());
  }

  /** Ollama's log of 30 August 2024, 8192 tokens for four sequences, no flash attention. */
  @Test
  void llama3NeedsTheWeightsOfAttention() {
    assertEquals("560.00 24.01", buffers(Shapes.LLAMA_3_8B, 8192));
  }

  /** llama-cpp-python's log of a Llama 3 of 2024, 512 tokens. */
  @Test
  void llama3WithAShortContextNeedsLogits() {
    assertEquals("258.50 9.01", buffers(Shapes.LLAMA_3_8B, 512));
  }

  /** SciSharp/LLamaSharp#1099, Qwen2.5-3B, build of February 2025. */
  @Test
  void qwen2NeedsLogits() {
    assertEquals("300.75 12.01", buffers(Shapes.QWEN_2_3B, 4096));
  }

  /** ggml-org/llama.cpp#13661, Qwen3-30B-A3B, build of May 2025. */
  @Test
  void qwen3NeedsTheWeightsOfAttention() {
    assertEquals("1958.63 62.63", buffers(Shapes.QWEN_3_30B, 30_016));
  }

  /** Instead of weights for each head it needs the mask, in half precision. */
  @Test
  void flashAttentionNeedsLogitsOnly() {
    assertEquals("258.50 24.01", printed(settings(Shapes.LLAMA_3_8B, 8192, true)));
    assertEquals("258.50 72.01", printed(settings(Shapes.LLAMA_3_8B, 32_768, true)));
  }

  @Test
  void hostThatComputesTheOutputNeedsNoLogitsOnTheGpu() {
    LlamaCppSettings all = settings(Shapes.LLAMA_3_8B, 4096, true);
    LlamaCppSettings some = with(all, 20);
    long logits = 4L * 512 * all.model().vocabulary();
    assertTrue(
        ComputeGraph.buffers(some).gpuBytes() < ComputeGraph.buffers(all).gpuBytes() - logits / 2);
    assertEquals(0, ComputeGraph.buffers(with(all, 0)).gpuBytes());
  }

  private static LlamaCppSettings with(LlamaCppSettings settings, int gpuLayers) {
    return new LlamaCppSettings(
        settings.model(),
        settings.format(),
        gpuLayers,
        settings.contextTokens(),
        settings.microBatchTokens(),
        settings.sequences(),
        settings.isUnified(),
        settings.keyType(),
        settings.valueType(),
        settings.hasFlashAttention(),
        settings.cachesAll());
  }
}
