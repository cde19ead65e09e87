package org.allocsim.workloads.program.llama;

import static org.allocsim.workloads.program.llama.Shapes.mib;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.allocsim.workloads.model.ModelShape;
import org.junit.jupiter.api.Test;

/** Sizes are those of "CUDA0 model buffer size" in published logs, Q4_K_M, all layers. */
class ModelWeightsTest {
  private static String weights(ModelShape model, int gpuLayers) {
    return mib(new ModelWeights(model, WeightFormat.Q4_K_M).gpuBytes(gpuLayers));
  }

  /** llama-cpp-python's log of a Llama 3 of 2024. */
  @Test
  void llama3OfEightBillion() {
    assertEquals("4403.49", weights(Shapes.LLAMA_3_8B, 33));
  }

  /** ollama/ollama#8310; the output is the embedding. */
  @Test
  void llama3OfThreeBillion() {
    assertEquals("1918.35", weights(Shapes.LLAMA_3_3B, 29));
  }

  /** A preflight check's log of an Orin board, 2026; queries, keys and values have biases. */
  @Test
  void qwen2() {
    assertEquals("1834.83", weights(Shapes.QWEN_2_3B, 999));
  }

  /** A log of October 2026, 37 of 37 layers; queries and keys are normalized. */
  @Test
  void qwen3() {
    assertEquals("2375.91", weights(Shapes.QWEN_3_4B, 37));
  }

  @Test
  void layersGoToTheGpuFromTheLast() {
    ModelWeights weights = new ModelWeights(Shapes.LLAMA_3_8B, WeightFormat.Q8_0);
    long layer = weights.gpuBytes(1);
    assertEquals(0, weights.gpuBytes(0));
    assertEquals(32 * layer, weights.gpuBytes(32));
    long output = GgmlType.Q8_0.bytes(4096) * 128_256 + 4 * 4096;
    assertEquals(32 * layer + output, weights.gpuBytes(33));
    assertEquals(weights.gpuBytes(33), weights.gpuBytes(999));
  }
}
