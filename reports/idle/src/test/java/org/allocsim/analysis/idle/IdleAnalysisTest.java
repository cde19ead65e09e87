package org.allocsim.analysis.idle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.allocsim.analysis.idle.timeline.Cause;
import org.allocsim.analysis.idle.timeline.Places;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Gaps have the causes that the profiles were made with. */
class IdleAnalysisTest {
  private static final String PAGEABLE = "Memcpy HtoD (Pageable -> Device)";

  @TempDir private Path folder;

  private IdleResult analyse(ProfileText profile) throws IOException, TraceFormatException {
    IdleResult result =
        IdleAnalysis.read(profile.write(folder.resolve("trace.json")), Progress.NONE).result();
    StepTime total = result.total();
    assertEquals(
        total.nanos(),
        total.computeNanos() + total.communicateNanos() + total.copyNanos() + total.idleNanos(),
        "the parts add up to the steps");
    assertEquals(
        total.idleNanos(),
        result.causes().stream().mapToLong(CauseSum::nanos).sum(),
        "the causes add up to the idle time");
    assertEquals(
        total.nanos(), result.steps().stream().mapToLong(StepTime::nanos).sum(), "the steps, too");
    return result;
  }

  @Test
  void aGapWhileTheProgramLoadsABatchIsDueToData() throws Exception {
    IdleResult result =
        analyse(
            new ProfileText()
                .step(1, 0, 1_000)
                .load(true, 0, 800)
                .kernel("gemm", 7, 805, 810, 815, 1_000));
    assertEquals(800_000, result.nanosOf(Cause.DATA));
    assertEquals(15_000, result.nanosOf(Cause.LAUNCH));
    assertEquals(185_000, result.total().computeNanos());
    assertEquals("DataLoader", result.causes().getFirst().where());
  }

  @Test
  void aHostThatIsSlowerThanTheGpuIsTheCauseOfTheGapsBetweenItsLaunches() throws Exception {
    ProfileText profile = new ProfileText().step(1, 0, 1_000);
    for (int kernel = 0; kernel < 10; kernel++) {
      int at = kernel * 100;
      profile
          .operator("aten::add", at, at + 90)
          .kernel("add", 7, at + 50, at + 60, at + 62, at + 70);
    }
    IdleResult result = analyse(profile);
    assertEquals(920_000, result.nanosOf(Cause.LAUNCH));
    assertEquals(new CauseSum(Cause.LAUNCH, "aten::add", 890_000, 10), result.causes().getFirst());
  }

  @Test
  void aGapAfterTheHostReadsAResultIsDueToTheRead() throws Exception {
    IdleResult result =
        analyse(
            new ProfileText()
                .step(1, 0, 1_000)
                .kernel("gemm", 7, 0, 5, 10, 500)
                .operator("aten::item", 20, 520)
                .copy("Memcpy DtoH (Device -> Pinned)", 4, 25, 30, 500, 502)
                .call("cudaStreamSynchronize", 31, 510)
                .kernel("gemm", 7, 590, 595, 600, 1_000));
    assertEquals(98_000, result.nanosOf(Cause.HOST_READ));
    assertEquals("aten::item", result.causes().getFirst().where());
  }

  @Test
  void aWaitOutsideOfOperatorsIsExplicit() throws Exception {
    IdleResult result =
        analyse(
            new ProfileText()
                .step(1, 0, 1_000)
                .kernel("gemm", 7, 0, 5, 10, 500)
                .call("cudaDeviceSynchronize", 31, 510)
                .kernel("gemm", 7, 590, 595, 600, 1_000));
    assertEquals(100_000, result.nanosOf(Cause.SYNCHRONIZE));
  }

  @Test
  void theHostsPartOfAPageableCopyAndWhatFollowsItAreDueToTheCopy() throws Exception {
    IdleResult result =
        analyse(
            new ProfileText()
                .step(1, 0, 1_000)
                .operator("aten::to", 0, 420)
                .copy(PAGEABLE, 1 << 20, 10, 400, 300, 398)
                .call("cudaStreamSynchronize", 401, 405)
                .kernel("gemm", 7, 450, 455, 460, 1_000));
    assertEquals(98_000, result.total().copyNanos());
    assertEquals(352_000, result.nanosOf(Cause.PAGEABLE_COPY));
    assertEquals(10_000, result.nanosOf(Cause.LAUNCH));
  }

  @Test
  void freesOutsideOfOperatorsAndTheMallocsAfterThemAreDueToAnEmptiedCache() throws Exception {
    IdleResult result =
        analyse(
            new ProfileText()
                .step(1, 0, 1_000)
                .operator("aten::empty", 0, 110)
                .call("cudaMalloc", 0, 100)
                .kernel("gemm", 7, 110, 115, 120, 500)
                .call("cudaFree", 150, 700)
                .call("cudaFree", 700, 900)
                .kernel("gemm", 7, 905, 908, 910, 1_000));
    assertEquals(510_000, result.nanosOf(Cause.EMPTY_CACHE));
    assertEquals(0, result.nanosOf(Cause.ALLOCATOR));
  }

  @Test
  void aFreeBetweenAMallocThatFailedAndAnotherIsARetry() throws Exception {
    IdleResult result =
        analyse(
            new ProfileText()
                .step(1, 0, 1_000)
                .kernel("gemm", 7, 0, 5, 10, 100)
                .operator("aten::empty", 20, 950)
                .call("cudaMalloc", 30, 40)
                .call("cudaEventSynchronize", 41, 102)
                .call("cudaFree", 103, 300)
                .call("cudaFree", 301, 500)
                .call("cudaMalloc", 501, 900)
                .kernel("gemm", 7, 955, 958, 960, 1_000));
    assertEquals(795_000, result.nanosOf(Cause.RETRY), "the frees, and the cudaMalloc after them");
    assertEquals(0, result.nanosOf(Cause.RECLAIM));
  }

  @Test
  void aFreeRightBeforeAMallocIsTheLimitOrGarbageCollection() throws Exception {
    IdleResult result =
        analyse(
            new ProfileText()
                .step(1, 0, 1_000)
                .kernel("gemm", 7, 0, 5, 10, 100)
                .operator("aten::empty", 20, 950)
                .call("cudaFree", 30, 500)
                .call("cudaMalloc", 500, 900)
                .kernel("gemm", 7, 955, 958, 960, 1_000));
    assertEquals(860_000, result.nanosOf(Cause.RECLAIM));
    assertEquals(0, result.nanosOf(Cause.RETRY));
  }

  @Test
  void aLibraryThatInitialisesTheDriverReclaimsNothing() throws Exception {
    IdleResult result =
        analyse(
            new ProfileText()
                .step(1, 0, 10_000)
                .kernel("gemm", 7, 0, 5, 10, 100)
                .operator("aten::addmm", 20, 9_500)
                .call("cudaFree", 120, 122)
                .call("cudaMalloc", 200, 900)
                .call("cudaFree", 1_000, 1_040)
                .call("cudaMalloc", 4_000, 9_000)
                .kernel("gemm", 7, 9_005, 9_008, 9_010, 10_000));
    assertEquals(0, result.nanosOf(Cause.RETRY) + result.nanosOf(Cause.RECLAIM));
    assertEquals(5_742_000, result.nanosOf(Cause.ALLOCATOR));
  }

  @Test
  void mallocsWithoutFreesAreTheAllocators() throws Exception {
    IdleResult result =
        analyse(
            new ProfileText()
                .step(1, 0, 1_000)
                .operator("aten::empty", 0, 900)
                .call("cudaMalloc", 0, 900)
                .kernel("gemm", 7, 905, 908, 910, 1_000));
    assertEquals(900_000, result.nanosOf(Cause.ALLOCATOR));
  }

  @Test
  void garbageCollectionAndLoadingOfKernelsAreCauses() throws Exception {
    IdleResult result =
        analyse(
            new ProfileText()
                .step(1, 0, 1_000)
                .host("python_function", "<built-in function collect>", 0, 300)
                .host("overhead", "Lazy Function Loading", 0, 300, 700)
                .host("overhead", "Activity Buffer Request", 0, 700, 750)
                .kernel("gemm", 7, 755, 758, 760, 1_000));
    assertEquals(300_000, result.nanosOf(Cause.GARBAGE_COLLECTION));
    assertEquals(400_000, result.nanosOf(Cause.KERNEL_LOADING));
    assertEquals(50_000, result.nanosOf(Cause.PROFILER));
  }

  @Test
  void longStretchesWithoutOperatorsAreTheProgramsOwnCode() throws Exception {
    IdleResult result =
        analyse(
            new ProfileText()
                .step(1, 0, 2_000)
                .host("python_function", "project/train.py(12): augment", 100, 1_900)
                .kernel("gemm", 7, 0, 5, 10, 100)
                .kernel("gemm", 7, 1_900, 1_905, 1_910, 2_000));
    assertEquals(1_800_000, result.nanosOf(Cause.HOST_CODE));
    assertEquals("project/train.py:12 (augment)", result.causes().getFirst().where());
  }

  @Test
  void workThatWasQueuedWaitsForAnotherStreamOrForAnUnknownReason() throws Exception {
    ProfileText profile =
        new ProfileText()
            .step(1, 0, 1_000)
            .kernel("gemm", 7, 0, 5, 10, 100)
            .kernel("gemm", 8, 20, 25, 200, 300)
            .call("cudaStreamWaitEvent", 30, 31)
            .kernel("gemm", 9, 40, 45, 400, 1_000);
    IdleResult result = analyse(profile);
    assertEquals(100_000, result.nanosOf(Cause.UNKNOWN));
    assertEquals(100_000, result.nanosOf(Cause.STREAM));
  }

  @Test
  void gapsBelow20MicrosecondsAreNotLookedAt() throws Exception {
    IdleResult result =
        analyse(
            new ProfileText()
                .step(1, 0, 1_000)
                .kernel("gemm", 7, 0, 0, 0, 481)
                .kernel("gemm", 7, 1, 2, 500, 1_000));
    assertEquals(new CauseSum(Cause.SHORT, "", 19_000, 1), result.causes().getFirst());
    assertTrue(result.gaps().isEmpty());
  }

  @Test
  void kernelsCountBeforeCollectivesAndTheseBeforeCopies() throws Exception {
    IdleResult result =
        analyse(
            new ProfileText()
                .step(1, 0, 100)
                .kernel("gemm", 7, 0, 0, 0, 40)
                .kernel("ncclDevKernel_AllReduce", 8, 0, 0, 20, 70)
                .copy("Memcpy DtoD (Device -> Device)", 1, 0, 0, 60, 100));
    StepTime total = result.total();
    assertEquals(40_000, total.computeNanos());
    assertEquals(30_000, total.communicateNanos());
    assertEquals(30_000, total.copyNanos());
    assertEquals(0, total.idleNanos());
  }

  @Test
  void aStepOfTheGpuEndsWithTheWorkThatWasQueuedInIt() throws Exception {
    IdleResult result =
        analyse(
            new ProfileText()
                .step(1, 0, 100)
                .step(2, 100, 200)
                .kernel("gemm", 7, 0, 5, 10, 300)
                .kernel("gemm", 7, 100, 105, 300, 450));
    assertEquals(300_000, result.steps().getFirst().nanos());
    assertEquals(150_000, result.steps().getLast().nanos());
  }

  @Test
  void withoutStepsOfTheProfilerAnAnnotationThatRecursSeparatesThem() throws Exception {
    ProfileText profile = new ProfileText();
    for (int step = 0; step < 4; step++) {
      int at = 1_000 * step;
      profile
          .host("user_annotation", "step", at, at + 600)
          .kernel("gemm", 7, at, at + 5, at + 10, at + 500);
    }
    IdleResult result = analyse(profile);
    assertEquals(3, result.steps().size());
    assertEquals(1_000_000, result.stepNanos());
  }

  @Test
  void aProfileWithoutWorkOfAGpuIsRefused() {
    assertTrue(
        assertThrows(TraceFormatException.class, () -> analyse(new ProfileText().step(1, 0, 1_000)))
            .getMessage()
            .contains(": it shows no work of a GPU; record with torch.profiler"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gemm|gemm",
        "void at::native::(anonymous namespace)::dropout<float, 4>(float*, int)|dropout",
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
            + "|ncclDevKernel_AllReduce_Sum_f32_RING_LL",
        "void cutlass::Kernel2<cutlass_80>(Params)|Kernel2",
      })
  void kernelsAreNamedWithoutTheirTypes(String name, String shown) {
    assertEquals(shown, Places.kernel(name));
  }

  @Test
  void theLineOfACallIsThatOfPyTorch214() throws Exception {
    ProfileText profile =
        new ProfileText()
            .step(1, 0, 1_000)
            .host("python_function", "train.py(10): main", 0, 1_000)
            .raw(
                "{\"ph\": \"X\", \"cat\": \"python_function\", \"name\":"
                    + " \"torch/utils/data/dataloader.py(700): __next__\", \"pid\": 5, \"tid\": 7,"
                    + " \"ts\": 1, \"dur\": 810, \"args\": {\"CallFrom\": \"train.py:41\"}}")
            .load(true, 2, 800)
            .kernel("gemm", 7, 815, 818, 820, 1_000);
    assertEquals("train.py:41", analyse(profile).causes().getFirst().where());
  }
}
