package org.allocsim.analysis.idle.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.allocsim.analysis.idle.IdleAnalysis;
import org.allocsim.analysis.idle.ProfileText;
import org.allocsim.analysis.idle.memory.MemoryPeak;
import org.allocsim.workloads.format.Progress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two recordings of a program say what a third batch takes. */
class BatchFitTest {
  private static final long MIB = 1 << 20;

  @TempDir private Path folder;

  /**
   * Steps that load, multiply, and update parameters. Loading takes 1 ms and 1 ms for each batch,
   * the product 1 ms and 2 ms for each batch, the update 0.5 ms.
   *
   * @param product name of the kernel, which depends on the batch in libraries
   */
  private IdleAnalysis steps(int batch, String product, boolean hasMemory) throws Exception {
    ProfileText text = new ProfileText();
    int load = 1_000 + 1_000 * batch;
    int work = 1_000 + 2_000 * batch;
    int length = load + work + 600;
    for (int step = 0; step < 4; step++) {
      int at = length * step;
      text.step(step, at, at + length)
          .load(true, at, at + load)
          .operator("aten::mm", at + load, at + load + 20)
          .kernel(product, 7, at + load, at + load + 10, at + load + 10, at + load + 10 + work)
          .operator("aten::add", at + load + 20, at + load + 40)
          .kernel(
              "update",
              7,
              at + load + 20,
              at + load + 30,
              at + load + 10 + work,
              at + load + 510 + work)
          .call("cudaDeviceSynchronize", at + load + 40, at + length - 50);
      if (hasMemory) {
        text.memory(0, at + load, (100 + 50 * batch) * MIB, (200 + 60 * batch) * MIB);
      }
    }
    return IdleAnalysis.read(
        text.write(folder.resolve("batch-%d.json".formatted(batch))), Progress.NONE);
  }

  private static long difference(WhatIf whatIf, String change) {
    return whatIf.predict(Change.parse(change)).stepNanos() - whatIf.unprofiled().stepNanos();
  }

  @Test
  void recordingsOfOneProgramShareTheGpusWorkWhateverItsKernels() throws Exception {
    assertEquals(
        1, new BatchFit(steps(1, "gemm_a", false), steps(2, "gemm_b", false), 2).sharedRatio());
    ProfileText other = new ProfileText();
    for (int step = 0; step < 4; step++) {
      int at = 1_000 * step;
      other
          .step(step, at, at + 1_000)
          .operator("aten::add", at, at + 20)
          .kernel("update", 7, at, at + 10, at + 10, at + 510);
    }
    IdleAnalysis another =
        IdleAnalysis.read(other.write(folder.resolve("other.json")), Progress.NONE);
    // The update takes 0.5 ms of 3.5 ms.
    assertEquals(1.0 / 7, new BatchFit(steps(1, "gemm_a", false), another, 2).sharedRatio(), 1e-9);
  }

  @Test
  void whatGrowsWithTheBatchIsToldFromWhatDoesNot() throws Exception {
    IdleAnalysis one = steps(1, "small", true);
    WhatIf whatIf = new WhatIf(one, 0, null, new BatchFit(one, steps(2, "large", true), 2));
    assertEquals(0, whatIf.errorNanos());
    // A batch more takes 1 ms to load and 2 ms to multiply.
    assertEquals(3_000_000, difference(whatIf, "batch=2x"));
    assertEquals(9_000_000, difference(whatIf, "batch=4x"));
    assertEquals(-1_500_000, difference(whatIf, "batch=0.5x"));
    assertEquals(
        new MemoryPeak(300 * MIB, 440 * MIB), whatIf.predict(Change.parse("batch=4x")).memory());
    // 3 ms more to load, and kernels take 4.75 ms instead of 3.5 ms.
    assertEquals(4_250_000, difference(whatIf, "batch=4x,gpu=2x"));
  }

  @Test
  void theOtherRecordingMayHaveTheSmallerBatch() throws Exception {
    IdleAnalysis four = steps(4, "large", false);
    WhatIf whatIf = new WhatIf(four, 0, null, new BatchFit(four, steps(1, "small", false), 0.25));
    assertEquals(-9_000_000, difference(whatIf, "batch=0.25x"));
    assertEquals(12_000_000, difference(whatIf, "batch=2x"));
    assertNull(whatIf.predict(Change.parse("batch=2x")).memory());
  }

  @Test
  void oneRecordingDoesNotTellWhatDependsOnTheBatch() throws Exception {
    IdleAnalysis one = steps(1, "small", true);
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> new WhatIf(one, 0, null).predict(Change.parse("batch=2x")));
    assertTrue(
        String.valueOf(refused.getMessage()).contains("--other-batch 0.5x=FILE"),
        refused.getMessage());
  }
}
