package org.allocsim.simulator.policy.pytorch;

import static org.allocsim.simulator.policy.pytorch.AllocatorScript.M;

import org.junit.jupiter.api.Test;

/** {@code expandable_segments} of PyTorch 2.11. */
class ConformanceCasesExpandableTest {
  private static final String EXPANDABLE = "expandable_segments:True";

  private final AllocatorScript script = AllocatorScript.with(EXPANDABLE);

  @Test
  void case57_smallAndLargePoolMapPagesIntoTheirOwnRanges() {
    script
        .alloc("a", 1, "MAP(E1,2M) A(E1,1)")
        .alloc("b", 2 * M, "MAP(E2,20M) A(E2,2M)")
        .alloc("c", 30 * M, "MAP(E2+20M,20M) A(E2+2M,30M)")
        .expectStat("segment.all.current", 0)
        .expectStat("reserved_bytes.all.current", 42 * M)
        .expectStat("num_device_alloc", 3)
        .expectStat("inactive_split.all.allocated", 0);
  }

  @Test
  void case58_freeEndOfTheRangeGrowsToServeALargerRequest() {
    script
        .alloc("a", 30 * M, "MAP(E1,40M) A(E1,30M)")
        .free("a")
        .ignore()
        .alloc("b", 50 * M, "MAP(E1+40M,20M) A(E1,50M)");
  }

  @Test
  void case58_expandableBlocksAreSplitDownTo512Bytes() {
    script
        .alloc("a", 30 * M)
        .alloc("k", 10 * M)
        .free("a")
        .ignore()
        .alloc("b", 30 * M - 512, "A(E1,31456768)")
        .expectBlock("b", 30 * M - 512)
        .expectFreeBehind("b", 512);
  }

  @Test
  void case59_emptyCacheUnmapsThePagesThatLieWhollyInsideFreeBlocks() {
    script
        .alloc("a", 30 * M)
        .alloc("b", 30 * M)
        .free("a")
        .ignore()
        .emptyCache("UNMAP(E1,20M)")
        .alloc("c", 10 * M, "A(E1+20M,10M)");
  }

  @Test
  void case59_everyFreeBlockIsUnmappedOnItsOwn() {
    script
        .alloc("a", 25 * M)
        .alloc("b", 10 * M)
        .alloc("c", 25 * M)
        .free("a", "c")
        .ignore()
        .emptyCache("UNMAP(E1,20M) UNMAP(E1+40M,20M)")
        .expectStat("reserved_bytes.all.current", 20 * M)
        .expectStat("num_device_free", 2);
  }

  @Test
  void case60_gapIsMappedAgainAndMergedWithTheFreeBlockBehindIt() {
    script
        .alloc("a", 30 * M)
        .alloc("b", 20 * M)
        .free("a")
        .ignore()
        .emptyCache("UNMAP(E1,20M)")
        .alloc("c", 30 * M, "MAP(E1,20M) A(E1,30M)");
  }

  @Test
  void case60_rangeWithoutPagesIsGivenBackAndTheNextOneIsNew() {
    script
        .alloc("a", 30 * M)
        .free("a")
        .ignore()
        .emptyCache("UNMAP(E1,40M)")
        .alloc("b", 30 * M, "MAP(E2,40M) A(E2,30M)");
  }

  @Test
  void case60_refusedPagesLeaveNoTrace() {
    AllocatorScript.onDevice(EXPANDABLE, 100 * M)
        .alloc("a", 70 * M, "MAP(E1,80M) A(E1,70M)")
        .alloc("b", 31 * M, "OOM(31M)")
        .expectStat("reserved_bytes.all.current", 80 * M)
        .expectStat("num_device_alloc", 1)
        .expectStat("num_alloc_retries", 1);
  }

  @Test
  void case60_oversizeFreeBlockIsPassedOverAndTheRangeGrows() {
    AllocatorScript.with("expandable_segments:True,max_split_size_mb:64")
        .alloc("a", 91 * M)
        .alloc("b", 46 * M)
        .alloc("k", 2 * M)
        .free("a", "b")
        .ignore()
        .alloc("c", 91 * M, "MAP(E1+140M,100M) A(E1+139M,91M)");
  }

  @Test
  void limitIsComparedWithTheSegmentSizeEvenWhereMostOfItIsMapped() {
    AllocatorScript.limited(EXPANDABLE, 60 * M)
        .alloc("a", 30 * M, "MAP(E1,40M) A(E1,30M)")
        .alloc("b", 25 * M, "OOM(25M)")
        .alloc("c", 20 * M, "MAP(E1+40M,20M) A(E1+30M,20M)");
  }

  @Test
  void secondMappingThatIsRefusedLeavesTheFirstAsFreeMemory() {
    AllocatorScript.onDevice(EXPANDABLE, 60 * M)
        .alloc("a", 30 * M)
        .alloc("b", 10 * M)
        .free("a")
        .ignore()
        .emptyCache("UNMAP(E1,20M)")
        .free("b")
        .ignore()
        .alloc("c", 70 * M, "MAP(E1,20M) UNMAP(E1,40M) OOM(70M)");
  }

  @Test
  void largerBlockThatCannotGrowIsPreferredToASmallerOneThatCan() {
    script
        .alloc("a", 6 * M)
        .alloc("k", 10 * M)
        .expectFreeBehind("k", 4 * M)
        .free("a")
        .ignore()
        .alloc("c", 3 * M, "A(E1,3M)");
  }

  @Test
  void privatePoolsHaveTheirOwnRanges() {
    script
        .alloc("a", 2 * M, 0, 0, "MAP(E1,20M) A(E1,2M)")
        .alloc("b", 2 * M, 0, 1, "MAP(E2,20M) A(E2,2M)")
        .free("b")
        .ignore()
        .deletePool(1, "UNMAP(E2,20M)");
  }

  @Test
  void streamsHaveTheirOwnRanges() {
    script
        .alloc("a", 2 * M, 0, "MAP(E1,20M) A(E1,2M)")
        .alloc("b", 2 * M, 1, "MAP(E2,20M) A(E2,2M)");
  }
}
