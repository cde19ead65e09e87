package org.allocsim.workloads.program.llama;

import static org.allocsim.workloads.program.llama.Shapes.mib;
import static org.allocsim.workloads.program.llama.Shapes.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.allocsim.workloads.model.ModelShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sizes are those of "KV buffer size" and "KV cache, size" in published logs. */
class KvCellsTest {
  /** Layers that look back at 1024 tokens, but for one of six. */
  private static final ModelShape WINDOWED =
      Shapes.shape("gemma-3-12b", 48, 3840, 15_360, 16, 8, 256, 262_208, true, 1024, 8);

  /** Ollama's log of 30 August 2024. */
  @Test
  void llama3() {
    assertEquals(
        "1024.00", mib(new KvCells(settings(Shapes.LLAMA_3_8B, 8192, false)).gpuBytes(false)));
  }

  /** SciSharp/LLamaSharp#1099. */
  @Test
  void qwen2() {
    assertEquals(
        "144.00", mib(new KvCells(settings(Shapes.QWEN_2_3B, 4096, false)).gpuBytes(false)));
  }

  /** ggml-org/llama.cpp#13661: whole 32 cells without flash attention. */
  @Test
  void cellsWithoutFlashAttention() {
    KvCells cells = new KvCells(settings(Shapes.QWEN_3_30B, 30_016, false));
    assertEquals("2814.00", mib(cells.gpuBytes(false)));
    assertEquals(30_208, new KvCells(settings(Shapes.QWEN_3_30B, 30_016, true)).fullCells());
  }

  /** A log of 2026: 14 layers of 32 on the GPU, 32768 cells. */
  @Test
  void layersOnTheGpu() {
    assertEquals("1792.00", mib(new KvCells(of(Shapes.LLAMA_3_8B, 14, 32_768, 1)).gpuBytes(false)));
  }

  /** A log of Gemma 4 of 2026: 16384 cells of 8 layers with one head of 512, q8_0. */
  @Test
  void quantizedCells() {
    ModelShape full = Shapes.shape("full", 8, 3840, 15_360, 16, 1, 512, 262_144, true, 0, 8);
    LlamaCppSettings settings =
        new LlamaCppSettings(
            full,
            WeightFormat.Q4_K_M,
            999,
            16_384,
            512,
            1,
            true,
            GgmlType.Q8_0,
            GgmlType.Q8_0,
            true,
            false);
    assertEquals("136.00", mib(new KvCells(settings).gpuBytes(false)));
  }

  /** A log of Gemma 4 of 2026, 8192 tokens of two sequences: 4096 and 1536 cells, or 1280. */
  @ParameterizedTest
  @CsvSource({"512, 1536", "256, 1280"})
  void windowsHaveCellsForAMicroBatchMore(int microBatch, int cells) {
    LlamaCppSettings settings =
        new LlamaCppSettings(
            WINDOWED,
            WeightFormat.Q4_K_M,
            999,
            8192,
            microBatch,
            2,
            false,
            GgmlType.F16,
            GgmlType.F16,
            true,
            false);
    assertEquals(4096, new KvCells(settings).fullCells());
    assertEquals(cells, new KvCells(settings).windowCells());
  }

  @Test
  void lastLayerOfEachPeriodLooksBackAtAllTokens() {
    KvCells cells = new KvCells(of(WINDOWED, 999, 8192, 1));
    long row = 8 * 256;
    assertEquals(8 * 2 * row * 2 * 8192, cells.gpuBytes(false));
    assertEquals(40 * 2 * row * 2 * 1536, cells.gpuBytes(true));
  }

  private static LlamaCppSettings of(ModelShape model, int gpuLayers, int context, int sequences) {
    return new LlamaCppSettings(
        model,
        WeightFormat.Q4_K_M,
        gpuLayers,
        context,
        512,
        sequences,
        true,
        GgmlType.F16,
        GgmlType.F16,
        true,
        false);
  }
}
