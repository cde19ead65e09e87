package org.allocsim.analysis.idle.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Objects;
import org.allocsim.analysis.idle.IdleAnalysis;
import org.allocsim.analysis.idle.ProfileText;
import org.allocsim.analysis.idle.replay.Change;
import org.allocsim.analysis.idle.replay.Prediction;
import org.allocsim.analysis.idle.replay.WhatIf;
import org.allocsim.workloads.format.Progress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes of the allocator change memory and time as they do in PyTorch. */
class MemoryChangesTest {
  private static final long MIB = 1 << 20;
  private static final int STEPS = 4;
  private static final long LARGEST = bytes(STEPS - 1);
  private static final long ALL = bytes(0) + bytes(1) + bytes(2) + bytes(3);

  @TempDir private Path folder;

  /** Batches grow, so that no step finds a cached block that is large enough. */
  private static long bytes(int step) {
    return (100 + 10 * step) * MIB;
  }

  /** Steps that compute, ask for a block when the kernel is running, and use it. */
  private static ProfileText steps(boolean emptiesCache) {
    ProfileText profile = new ProfileText().header("\"baseTimeNanoseconds\": 1700000000000000000");
    long reserved = 0;
    for (int step = 0; step < STEPS; step++) {
      int at = 10_000 * step;
      reserved += bytes(step);
      profile
          .step(step, at, at + 10_000)
          .kernel("gemm", 7, at + 10, at + 20, at + 30, at + 3_000)
          .operator("aten::empty", at + 700, at + 900)
          .call("cudaMalloc", at + 710, at + 800)
          .memory(0, at + 810, bytes(step), 0x1000, bytes(step), reserved)
          .kernel("gemm", 7, at + 950, at + 960, at + 3_010, at + 9_000)
          .memory(0, at + 1_000, -bytes(step), 0x1000, 0, reserved);
      if (emptiesCache) {
        profile.call("cudaFree", at + 1_100, at + 9_010);
        reserved = 0;
      }
    }
    return profile;
  }

  private WhatIf whatIf(ProfileText text) throws Exception {
    Path file = text.write(folder.resolve("trace.json"));
    IdleAnalysis analysis = IdleAnalysis.read(file, Progress.NONE);
    AllocatorModel model =
        AllocatorModel.read(
            file,
            0,
            analysis.timeline().profile().originNanos(),
            analysis.waits().clearedNanos(),
            Progress.NONE);
    WhatIf whatIf = new WhatIf(analysis, 0, model);
    assertEquals(0, whatIf.errorNanos());
    return whatIf;
  }

  private static long reserved(Prediction prediction) {
    return Objects.requireNonNull(prediction.memory()).reservedBytes();
  }

  @Test
  void theModelReservesWhatTheProfileShows() throws Exception {
    WhatIf whatIf = whatIf(steps(false));
    assertEquals(new MemoryPeak(LARGEST, ALL), whatIf.unprofiled().memory());
    assertEquals(new MemoryPeak(LARGEST, ALL), whatIf.modelledMemory());
  }

  @Test
  void changesOfTheHostAloneKeepTheMemory() throws Exception {
    WhatIf whatIf = whatIf(steps(false));
    assertEquals(whatIf.unprofiled().memory(), whatIf.predict(Change.parse("gpu=2x")).memory());
    assertEquals(whatIf.unprofiled().memory(), whatIf.predict(Change.parse("no-item")).memory());
    assertNull(whatIf.predict(Change.parse("graphs")).memory(), "graphs have pools of their own");
  }

  @Test
  void expandableSegmentsServeAllBlocksFromOne() throws Exception {
    Prediction prediction = whatIf(steps(false)).predict(Change.parse("expandable-segments"));
    // In pages of 20 MiB.
    assertEquals(140 * MIB, reserved(prediction));
    assertEquals(0, prediction.failures());
  }

  @Test
  void atALimitEachRequestFreesTheBlockBeforeAndWaitsForTheGpu() throws Exception {
    WhatIf whatIf = whatIf(steps(false));
    long usual = whatIf.unprofiled().stepNanos();
    Prediction wide = whatIf.predict(limit(600));
    assertEquals(ALL, reserved(wide));
    Prediction tight = whatIf.predict(limit(150));
    assertEquals(LARGEST, reserved(tight));
    assertEquals(0, tight.failures());
    // The host is at 0.8 ms when it asks, and the kernel runs until 3 ms.
    assertTrue(tight.stepNanos() > usual + 2_000_000, tight.stepNanos() + " against " + usual);
    assertTrue(wide.stepNanos() < usual + 500_000, wide.stepNanos() + " against " + usual);
    assertEquals(1, whatIf.predict(limit(125)).failures(), "the last block is larger");
  }

  @Test
  void anEmptiedCacheIsFilledAgainUnlessTheProgramKeepsIt() throws Exception {
    WhatIf whatIf = whatIf(steps(true));
    assertEquals(new MemoryPeak(LARGEST, LARGEST), whatIf.unprofiled().memory());
    assertEquals(new MemoryPeak(LARGEST, LARGEST), whatIf.modelledMemory());
    Prediction kept = whatIf.predict(Change.parse("no-empty-cache"));
    assertEquals(ALL, reserved(kept), "what it cost less in time, it costs more in memory");
    assertTrue(kept.stepNanos() < whatIf.unprofiled().stepNanos());
    Prediction expandable = whatIf.predict(Change.parse("expandable-segments"));
    Prediction both = whatIf.predict(Change.parse("expandable-segments,no-empty-cache"));
    assertTrue(both.stepNanos() < expandable.stepNanos(), "segments are mapped again otherwise");
  }

  @Test
  void withoutMemoryEventsChangesOfTheAllocatorAreRefused() throws Exception {
    IdleAnalysis analysis =
        IdleAnalysis.read(
            new ProfileText()
                .step(1, 0, 1_000)
                .kernel("gemm", 7, 0, 5, 10, 900)
                .write(folder.resolve("trace.json")),
            Progress.NONE);
    WhatIf whatIf = new WhatIf(analysis, 0, null);
    assertNull(whatIf.unprofiled().memory());
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> whatIf.predict(Change.parse("expandable-segments")));
    assertNotNull(refused.getMessage());
    assertTrue(refused.getMessage().contains("profile_memory=True"), refused.getMessage());
  }

  private static Change limit(long mib) {
    return Change.parse("limit=" + mib, size -> Long.parseLong(size) * MIB);
  }
}
