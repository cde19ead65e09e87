package org.allocsim.simulator.policy.pytorch;

import static org.allocsim.simulator.policy.pytorch.AllocatorScript.M;

import org.junit.jupiter.api.Test;

/** {@code max_split_size_mb} and {@code garbage_collection_threshold} of PyTorch 2.11. */
class ConformanceCasesMaxSplitTest {
  private static final String MAX_SPLIT_32 = "max_split_size_mb:32";
  private static final String COLLECT_AT_HALF = "garbage_collection_threshold:0.5";

  private static AllocatorScript capacity(long mebibytes) {
    return AllocatorScript.onDevice(MAX_SPLIT_32, mebibytes * M);
  }

  @Test
  void case47_oversizeBlockDoesNotServeSmallerRequests() {
    AllocatorScript.with(MAX_SPLIT_32)
        .alloc("a", 64 * M)
        .free("a")
        .ignore()
        .alloc("b", 20 * M, "SA(S2,20M) A(S2,20M)")
        .expectStat("oversize_segments.current", 1)
        .expectStat("oversize_allocations.current", 0)
        .expectStat("oversize_allocations.allocated", 1);
  }

  @Test
  void case48_oversizeBlockServesOversizeRequestsWholeIfLessThan20MebibytesAreWasted() {
    AllocatorScript.with(MAX_SPLIT_32)
        .alloc("a", 64 * M)
        .free("a")
        .ignore()
        .alloc("b", 50 * M, "A(S1,50M)")
        .expectBlock("b", 64 * M);
  }

  @Test
  void case49_oversizeBlockThatWouldWaste20MebibytesIsNotUsed() {
    AllocatorScript.with(MAX_SPLIT_32)
        .alloc("a", 64 * M)
        .free("a")
        .ignore()
        .alloc("b", 44 * M, "SA(S2,44M) A(S2,44M)");
  }

  @Test
  void case49_allowedWasteIsASetting() {
    AllocatorScript.with("max_split_size_mb:32,max_non_split_rounding_mb:21")
        .alloc("a", 64 * M)
        .free("a")
        .ignore()
        .alloc("b", 44 * M, "A(S1,44M)");
  }

  @Test
  void case50_segmentThatReachesTheThresholdByRoundingIsOversize() {
    AllocatorScript.with(MAX_SPLIT_32)
        .alloc("a", 32506368, "SA(S1,32M) A(S1,32506368)")
        .expectBlock("a", 32 * M)
        .expectStat("oversize_segments.current", 1)
        .expectStat("oversize_allocations.current", 1)
        .free("a")
        .expectStat("oversize_allocations.current", 0);
  }

  @Test
  void case50_thresholdOf20MebibytesMakesFreeSegmentsOf20MebibytesUnusable() {
    AllocatorScript.with("max_split_size_mb:20")
        .alloc("a", 2 * M, "SA(S1,20M) A(S1,2M)")
        .free("a")
        .ignore()
        .alloc("b", 2 * M, "SA(S2,20M) A(S2,2M)");
  }

  @Test
  void case51_refusedOversizeRequestReleasesLargestOversizeBlocksUntilTheyMakeUpItsSize() {
    capacity(130)
        .alloc("a", 34 * M)
        .alloc("b", 40 * M)
        .alloc("k", 50 * M)
        .free("a", "b")
        .ignore()
        .alloc("x", 60 * M, "SF(S2,40M) SF(S1,34M) SA(S4,60M) A(S4,60M)")
        .expectStat("num_alloc_retries", 0)
        .expectStat("num_sync_all_streams", 0);
  }

  @Test
  void case52_refusedRequestReleasesTheSmallestOversizeBlock() {
    capacity(100)
        .alloc("a", 34 * M)
        .alloc("b", 60 * M)
        .free("a", "b")
        .ignore()
        .alloc("x", 20 * M, "SF(S1,34M) SA(S3,20M) A(S3,20M)")
        .expectStat("num_alloc_retries", 0);
  }

  @Test
  void case53_releasedBlocksThatDoNotMakeUpTheRequestAreGoneBeforeTheFullRelease() {
    capacity(100)
        .alloc("a", 50 * M)
        .free("a")
        .ignore()
        .alloc("b", 70 * M, "SF(S1,50M) SA(S2,70M) A(S2,70M)")
        .expectStat("num_alloc_retries", 1);
  }

  @Test
  void wrappedThresholdMakesNothingOversizeAndReleasesNothingEarly() {
    AllocatorScript.onDevice("max_split_size_mb:-1", 100 * M)
        .alloc("a", 60 * M)
        .free("a")
        .ignore()
        .alloc("b", 70 * M, "SF(S1,60M) SA(S2,70M) A(S2,70M)")
        .expectStat("num_alloc_retries", 1)
        .expectStat("oversize_segments.allocated", 0)
        .expectStat("max_split_size", -1048576);
  }

  @Test
  void case54_collectionReleasesEveryBlockAtLeastAsOldAsTheMean() {
    AllocatorScript.limited(COLLECT_AT_HALF, 200 * M)
        .alloc("a", 30 * M)
        .alloc("b", 40 * M)
        .alloc("c", 50 * M)
        .free("a", "b", "c")
        .ignore()
        .alloc("d", 60 * M, "SF(S1,30M) SF(S2,40M) SF(S3,50M) SA(S4,60M) A(S4,60M)")
        .expectStat("num_alloc_retries", 0)
        .expectStat("num_sync_all_streams", 0);
  }

  @Test
  void case55_lookupsInTheSmallPoolDoNotAgeLargeBlocks() {
    AllocatorScript.limited(COLLECT_AT_HALF, 200 * M)
        .alloc("a", 30 * M)
        .free("a")
        .alloc("s", 512)
        .alloc("t", 512)
        .alloc("b", 90 * M)
        .free("b")
        .ignore()
        .alloc("d", 100 * M, "SF(S1,30M) SA(S4,100M) A(S4,100M)");
  }

  @Test
  void case56_withoutALimitNothingIsCollected() {
    AllocatorScript.with(COLLECT_AT_HALF)
        .alloc("a", 30L << 30)
        .free("a")
        .ignore()
        .alloc("b", 40L << 30, "SA(S2,40960M) A(S2,40960M)");
  }

  @Test
  void blockBelowTheSplitLimitIsReusedAndSplit() {
    AllocatorScript.with(MAX_SPLIT_32)
        .alloc("a", 30 * M)
        .free("a")
        .ignore()
        .alloc("b", 10 * M, "A(S1,10M)")
        .alloc("c", 20 * M, "A(S1+10M,20M)");
  }

  @Test
  void releaseOfOversizeBlocksEndsWhereTheyMakeUpTheRequestExactly() {
    capacity(120)
        .alloc("a", 40 * M)
        .alloc("b", 40 * M)
        .alloc("c", 40 * M)
        .free("a", "b", "c")
        .ignore()
        .alloc("d", 80 * M, "SF(S3,40M) SF(S2,40M) SA(S4,80M) A(S4,80M)")
        .expectStat("num_alloc_retries", 0)
        .expectStat("reserved_bytes.all.current", 120 * M);
  }
}
