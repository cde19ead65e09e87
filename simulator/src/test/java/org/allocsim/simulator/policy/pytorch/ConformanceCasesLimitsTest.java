package org.allocsim.simulator.policy.pytorch;

import static org.allocsim.simulator.policy.pytorch.AllocatorScript.K;
import static org.allocsim.simulator.policy.pytorch.AllocatorScript.M;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Device capacity, memory limit, retry and out of memory of PyTorch 2.11. */
class ConformanceCasesLimitsTest {
  private static AllocatorScript capacity(long mebibytes) {
    return AllocatorScript.onDevice("", mebibytes * M);
  }

  private static AllocatorScript limit(long mebibytes) {
    return AllocatorScript.limited("", mebibytes * M);
  }

  private static void expectMessage(AllocatorScript script, String part) {
    assertTrue(script.message().contains(part), script.message());
  }

  @Test
  void case39_refusedRequestReleasesTheCacheAndIsRetried() {
    capacity(100)
        .alloc("a", 60 * M)
        .free("a")
        .ignore()
        .alloc("b", 70 * M, "SF(S1,60M) SA(S2,70M) A(S2,70M)")
        .expectStat("num_alloc_retries", 1)
        .expectStat("num_sync_all_streams", 1)
        .expectStat("num_ooms", 0);
  }

  @Test
  void case40_requestThatFailsAfterTheRetryIsAnOom() {
    AllocatorScript script = capacity(100);
    script
        .alloc("a", 60 * M)
        .ignore()
        .alloc("b", 50 * M, "OOM(50M)")
        .expectStat("num_alloc_retries", 1)
        .expectStat("num_ooms", 1);
    expectMessage(script, "Tried to allocate 50.00 MiB. GPU 0 has a total capacity of 100.00 MiB");
    expectMessage(script, "of which 40.00 MiB is free. Of the allocated memory 60.00 MiB is");
  }

  @Test
  void case41_partlyUsedSegmentIsNotReleasedOnRetry() {
    capacity(64)
        .alloc("a", 2 * M)
        .alloc("b", 2 * M)
        .free("a")
        .ignore()
        .alloc("c", 60 * M, "OOM(60M)")
        .expectStat("reserved_bytes.all.current", 20 * M);
  }

  @Test
  void case42_cacheIsGoneEvenWhereTheRequestFails() {
    capacity(100)
        .alloc("a", 40 * M)
        .alloc("b", 40 * M)
        .free("a")
        .alloc("k", 1, 1)
        .ignore()
        .alloc("c", 60 * M, "SF(S1,40M) OOM(60M)")
        .expectStat("reserved_bytes.all.current", 42 * M);
  }

  @Test
  void case43_limitIsTreatedLikeARefusalOfTheDevice() {
    limit(50)
        .alloc("a", 30 * M)
        .free("a")
        .ignore()
        .alloc("b", 40 * M, "SF(S1,30M) SA(S2,40M) A(S2,40M)")
        .expectStat("num_alloc_retries", 1);
  }

  @Test
  void case44_limitIsComparedWithTheWholeSegment() {
    AllocatorScript script = limit(50);
    script
        .alloc("a", 30 * M)
        .alloc("b", 512 * K, "SA(S1,30M) A(S1,30M) SA(S2,2M) A(S2,524288)")
        .alloc("c", 3 * M, "OOM(3M)");
    expectMessage(script, "Tried to allocate 20.00 MiB.");
    expectMessage(script, "50.00 MiB allowed; Of the allocated memory");
  }

  @Test
  void case45_fractionOfOneMeansNoLimitAndOfZeroThatNoSegmentFits() throws ConfigException {
    long total = 80L << 30;
    assertEquals(MemoryLimit.NONE, MemoryLimit.ofFraction(1.0, total, PyTorchVersion.V2_11));
    AllocatorScript.limited("", MemoryLimit.ofFraction(1.0, total, PyTorchVersion.V2_11))
        .alloc("a", 70L << 30, "SA(S1,71680M) A(S1,71680M)");
    AllocatorScript.limited("", MemoryLimit.ofFraction(0.0, total, PyTorchVersion.V2_11))
        .alloc("a", 1, "OOM(512)")
        .alloc("b", 30 * M, "OOM(30M)");
  }

  @Test
  void case46_requestInsideAPrivatePoolIsNotRetried() {
    capacity(100)
        .alloc("a", 60 * M)
        .free("a")
        .ignore()
        .alloc("b", 70 * M, 0, 1, "OOM(70M)")
        .expectStat("num_alloc_retries", 0)
        .expectStat("num_sync_all_streams", 0)
        .expectStat("num_ooms", 1)
        .expectStat("reserved_bytes.all.current", 60 * M);
  }

  @Test
  void case46_requestInsideAPrivatePoolStillReleasesOversizeBlocksOfItsPool() {
    AllocatorScript.onDevice("max_split_size_mb:32", 100 * M)
        .alloc("a", 60 * M, 0, 1)
        .free("a")
        .ignore()
        .alloc("b", 20 * M, 0, 1, "SA(S2,20M) A(S2,20M)")
        .alloc("c", 30 * M, 0, 1, "SF(S1,60M) SA(S3,30M) A(S3,30M)")
        .expectStat("num_alloc_retries", 0);
  }

  @ParameterizedTest
  @EnumSource(names = {"V2_11", "V2_14"})
  void case46_poolForEmergenciesServesTheDefaultPoolOnlyUntilItIsGivenUp(PyTorchVersion version) {
    AllocatorScript script = AllocatorScript.onDevice("", version, 100 * M);
    script.allocator.definePool(1, new PrivatePoolOptions(true, false, false));
    script
        .alloc("a", 2 * M, 0, 1)
        .alloc("b", 8 * M, 0, 1)
        .alloc("c", 80 * M)
        .free("b")
        .ignore()
        .alloc("d", 3 * M, 0, 2, "OOM(3M)")
        .alloc("e", 3 * M, "A(S1+2M,3M)")
        .deletePool(1, "")
        .alloc("f", 3 * M, "OOM(3M)");
  }

  @Test
  void case46_requestBeyondTheDeviceIsRejectedAtOnceWhereTheSettingSaysSo() {
    AllocatorScript script =
        AllocatorScript.onDevice("throw_on_cudamalloc_oom:True", PyTorchVersion.V2_14, 100 * M);
    script
        .alloc("a", 60 * M)
        .alloc("b", 30 * M)
        .free("b")
        .ignore()
        .alloc("c", 2 * M, "A(S2,2M)")
        .alloc("d", 600, "SA(S3,2M) A(S3,600)")
        .alloc(
            "e",
            40 * M,
            "REJECTED(CUDA out of memory. Allocation was preemptively rejected because it would"
                + " exceed per_process_memory_fraction limit. Requested size: 40.00 MiB)")
        .expectStat("num_ooms", 0)
        .expectStat("num_alloc_retries", 0)
        .expectStat("reserved_bytes.all.current", 92 * M);
  }

  @Test
  void case46_requestThatJustFitsTheDeviceIsNotRejected() {
    AllocatorScript.onDevice("throw_on_cudamalloc_oom:True", PyTorchVersion.V2_14, 100 * M)
        .alloc("a", 60 * M)
        .ignore()
        .alloc("b", 40 * M, "SA(S2,40M) A(S2,40M)");
  }

  @Test
  void privatePoolDividesSmallFromLargeAsTheDefaultOneDoes() {
    AllocatorScript.plain()
        .alloc("a", M, 0, 1, "SA(S1,2M) A(S1,1M)")
        .alloc("b", M + 1, 0, 1, "SA(S2,20M) A(S2,1048577)");
  }

  @Test
  void oomMessageNamesMemoryHeldByPrivatePools() {
    AllocatorScript script = capacity(100);
    script.alloc("p", 30 * M, 0, 1).free("p").alloc("a", 40 * M).ignore();
    script.alloc("b", 50 * M, "OOM(50M)");
    expectMessage(
        script,
        "Of the allocated memory 70.00 MiB is allocated by PyTorch, with 30.00 MiB allocated in"
            + " private pools (e.g., CUDA Graphs), and 0 bytes is reserved by PyTorch but"
            + " unallocated.");
  }

  @Test
  void failedRequestIsForgottenAndItsFreeIgnored() {
    capacity(10).alloc("a", 30 * M, "OOM(30M)").free("a").expect("");
  }
}
