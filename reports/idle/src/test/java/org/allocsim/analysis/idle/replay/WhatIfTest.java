package org.allocsim.analysis.idle.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.allocsim.analysis.idle.IdleAnalysis;
import org.allocsim.analysis.idle.ProfileText;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Replays are the recording, and changes do to it what they do to such a program. Predictions are
 * some microseconds below round numbers, which the profiler takes.
 */
class WhatIfTest {
  private static final int STEPS = 6;

  @TempDir private Path folder;

  private WhatIf whatIf(ProfileText profile, int workers) throws IOException, TraceFormatException {
    WhatIf whatIf =
        new WhatIf(
            IdleAnalysis.read(profile.write(folder.resolve("trace.json")), Progress.NONE),
            workers,
            null);
    assertEquals(0, whatIf.errorNanos(), "a replay without a change is the recording");
    return whatIf;
  }

  private static long step(WhatIf whatIf, String change) {
    return whatIf.predict(Change.parse(change)).stepNanos();
  }

  /** Steps that load for 8 ms and compute for 2 ms. */
  private static ProfileText loading() {
    ProfileText profile = new ProfileText();
    for (int step = 0; step < STEPS; step++) {
      int at = 10_000 * step;
      profile
          .step(step, at, at + 10_000)
          .load(true, at, at + 8_000)
          .kernel("gemm", 7, at + 8_000, at + 8_010, at + 8_010, at + 9_900)
          .operator("aten::item", at + 8_020, at + 10_000)
          .copy("Memcpy DtoH (Device -> Pinned)", 4, at + 8_030, at + 8_040, at + 9_901, at + 9_902)
          .call("cudaStreamSynchronize", at + 8_050, at + 9_910);
    }
    return profile;
  }

  @Test
  void aReplayWithoutAChangeTakesAsLongAsTheRecording() throws Exception {
    WhatIf whatIf = whatIf(loading(), 0);
    assertEquals(10_000_000, whatIf.recorded().stepNanos());
    assertEquals(1_891_000, whatIf.recorded().busyNanos());
  }

  @Test
  void workersOverlapLoadingUntilTheProgramIsTheSlowerOne() throws Exception {
    WhatIf whatIf = whatIf(loading(), 0);
    assertEquals(8_000_000, step(whatIf, "workers=1"));
    assertEquals(4_000_000, step(whatIf, "workers=2"));
    // 2 ms of computing, and the batch is taken from a queue.
    assertEquals(2_295_333, step(whatIf, "workers=8"));
    assertEquals(step(whatIf, "workers=8"), step(whatIf, "workers=16"));
  }

  @Test
  void aCallThatReturnsBeforeWorkIsDoneDoesNotWaitForIt() throws Exception {
    ProfileText profile =
        new ProfileText()
            .step(1, 0, 1_000)
            .kernel("long", 8, 0, 5, 10, 900)
            .kernel("gemm", 7, 10, 15, 20, 100)
            .call("cudaFree", 20, 120)
            .kernel("gemm", 7, 130, 135, 140, 300);
    assertEquals(1_000_000, whatIf(profile, 0).recorded().stepNanos());
  }

  @Test
  void workOfAnotherThreadThatIsQueuedLaterComesLater() throws Exception {
    ProfileText profile =
        new ProfileText()
            .step(1, 0, 1_000)
            .kernel("late", 7, 0, 5, 500, 600)
            .kernel("early", 7, 10, 15, 20, 400)
            .work("kernel", "unknown", 7, 420, 430, 0)
            .call("cudaDeviceSynchronize", 20, 610);
    assertEquals(1_000_000, whatIf(profile, 0).recorded().stepNanos());
  }

  @Test
  void aFasterGpuShortensItsOwnPartOnly() throws Exception {
    assertEquals(9_050_333, step(whatIf(loading(), 0), "gpu=2x"));
  }

  @Test
  void withoutReadsTheNextBatchIsLoadedMeanwhile() throws Exception {
    assertEquals(8_121_533, step(whatIf(loading(), 0), "no-item"));
  }

  @Test
  void theSpeedOfWorkersIsThatOfTheirBatches() throws Exception {
    ProfileText profile = new ProfileText();
    for (int step = 0; step < STEPS; step++) {
      int at = 5_000 * step;
      profile
          .step(step, at, at + 5_000)
          .load(false, at, at + 4_000)
          .kernel("gemm", 7, at + 4_000, at + 4_010, at + 4_010, at + 4_900)
          .call("cudaDeviceSynchronize", at + 4_020, at + 4_950);
    }
    WhatIf whatIf = whatIf(profile, 2);
    // Two workers give a batch each 5 ms, so each needs 10 ms for one.
    assertEquals(2_500_000, step(whatIf, "workers=4"));
    assertEquals(10_000_000, step(whatIf, "workers=1"));
    assertEquals(10_995_333, step(whatIf, "workers=0"));
    assertEquals(5_000_000, step(whatIf, "gpu=2x"));
    assertTrue(
        assertThrows(
                IllegalArgumentException.class,
                () -> whatIf(profile, 0).predict(Change.parse("workers=4")))
            .getMessage()
            .endsWith("give their number with --workers"));
  }

  @Test
  void pinnedCopiesAreFasterAndNothingWaitsForThem() throws Exception {
    ProfileText profile = new ProfileText().header("\"deviceProperties\": [{\"name\": \"H200\"}]");
    for (int step = 0; step < STEPS; step++) {
      int at = 10_000 * step;
      profile
          .step(step, at, at + 10_000)
          .operator("aten::to", at, at + 6_000)
          .copy(
              "Memcpy HtoD (Pageable -> Device)",
              55_000_000,
              at + 10,
              at + 5_980,
              at + 1_000,
              at + 5_975)
          .call("cudaStreamSynchronize", at + 5_985, at + 5_990)
          .kernel("gemm", 7, at + 6_000, at + 6_010, at + 6_010, at + 9_990);
    }
    WhatIf whatIf = whatIf(profile, 0);
    // 55 MB at 55 GB/s and the kernel.
    assertEquals(4_982_833, step(whatIf, "pinned,non-blocking"));
    assertTrue(step(whatIf, "pinned") > step(whatIf, "pinned,non-blocking"));
  }

  @Test
  void withoutAnEmptiedCacheTheDriverIsNotCalled() throws Exception {
    ProfileText profile = new ProfileText();
    for (int step = 0; step < STEPS; step++) {
      int at = 10_000 * step;
      profile
          .step(step, at, at + 10_000)
          .operator("aten::empty", at, at + 1_000)
          .call("cudaMalloc", at + 10, at + 990)
          .kernel("gemm", 7, at + 1_000, at + 1_010, at + 1_010, at + 7_000)
          .call("cudaFree", at + 1_020, at + 9_900);
    }
    assertEquals(5_990_833, step(whatIf(profile, 0), "no-empty-cache"));
  }

  @Test
  void graphsLeaveOnlyTheKernels() throws Exception {
    ProfileText profile = new ProfileText();
    for (int step = 0; step < STEPS; step++) {
      profile.step(step, 1_000 * step, 1_000 * (step + 1));
      for (int kernel = 0; kernel < 10; kernel++) {
        int at = 1_000 * step + 100 * kernel;
        profile
            .operator("aten::add", at, at + 99)
            .kernel("add", 7, at + 50, at + 60, at + 60, at + 70);
      }
    }
    assertEquals(109_833, step(whatIf(profile, 0), "graphs"));
  }

  @Test
  void whereBatchesWereReadyMoreWorkersChangeNothingAndFewerAreUnknown() throws Exception {
    ProfileText profile = new ProfileText();
    for (int step = 0; step < STEPS; step++) {
      int at = 50_000 * step;
      profile
          .step(step, at, at + 50_000)
          .load(false, at, at + 2_000)
          .kernel("gemm", 7, at + 2_000, at + 2_010, at + 2_010, at + 49_000)
          .call("cudaDeviceSynchronize", at + 2_020, at + 49_500);
    }
    WhatIf whatIf = whatIf(profile, 2);
    assertEquals(26_500_333, step(whatIf, "gpu=2x"));
    assertTrue(
        assertThrows(
                IllegalArgumentException.class, () -> whatIf.predict(Change.parse("workers=1")))
            .getMessage()
            .contains("the program hardly waited for its data"));
    assertEquals(whatIf.unprofiled().stepNanos(), step(whatIf, "workers=4"));
  }

  @Test
  void whatTheProfileDoesNotShowIsNotPredicted() throws Exception {
    WhatIf whatIf = whatIf(loading(), 0);
    assertTrue(
        assertThrows(IllegalArgumentException.class, () -> whatIf.predict(Change.parse("no-gc")))
            .getMessage()
            .contains("no garbage collection of Python; record with with_stack=True"));
  }

  @Test
  void changesThatApplyAreRankedAndCombined() throws Exception {
    WhatIf whatIf = whatIf(loading(), 0);
    var names = whatIf.predictAll().stream().map(each -> each.change().name()).toList();
    assertTrue(names.contains("workers=4"), names.toString());
    assertFalse(names.contains("workers=16"), "no more workers than help");
    assertTrue(names.contains("no-item"), names.toString());
    assertTrue(names.contains("gpu=2x"), names.toString());
    long before = 0;
    for (Prediction prediction : whatIf.predictAll()) {
      assertTrue(prediction.stepNanos() >= before);
      before = prediction.stepNanos();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "workers=65|workers=65 must be a whole number from 0 to 64",
        "workers=x|workers=x must be a whole number from 0 to 64",
        "prefetch=0|prefetch=0 must be a whole number from 1 to 64",
        "gpu=0|gpu=0 must be a factor from 0.001x to 1000x, such as 1.5x",
        "gpu=NaN|gpu=NaN must be a factor from 0.001x to 1000x, such as 1.5x",
        "pinned,pinned|'pinned,pinned' has pinned twice",
      })
  void impossibleChangesAreRefused(String change, String message) {
    assertEquals(
        message,
        assertThrows(IllegalArgumentException.class, () -> Change.parse(change)).getMessage());
  }

  @Test
  void unknownChangesAreRefusedWithThoseThatThereAre() {
    assertTrue(
        assertThrows(IllegalArgumentException.class, () -> Change.parse("faster"))
            .getMessage()
            .startsWith("'faster' is not a change; known are workers=N, "));
    assertTrue(
        assertThrows(IllegalArgumentException.class, () -> Change.parse("pinned=1"))
            .getMessage()
            .startsWith("'pinned=1' is not a change; "));
  }
}
