package org.allocsim.simulator.policy.pytorch;

import static org.allocsim.simulator.policy.pytorch.AllocatorScript.K;
import static org.allocsim.simulator.policy.pytorch.AllocatorScript.M;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Best fit, splitting and merging of PyTorch 2.11. */
class ConformanceCasesBestFitTest {
  private final AllocatorScript script = AllocatorScript.plain();

  @Test
  void case17_smallestFittingBlockIsTakenEvenBehindALowerOne() {
    script
        .alloc("a", 512)
        .alloc("b", 512)
        .free("a")
        .ignore()
        .alloc("c", 1024, "A(S1+1024,1024)")
        .alloc("d", 512, "A(S1,512)");
  }

  @Test
  void case18_freedNeighboursMerge() {
    script
        .alloc("a", 300 * K)
        .alloc("b", 300 * K)
        .alloc("c", 300 * K)
        .free("b", "a")
        .ignore()
        .alloc("d", 600 * K, "A(S1,614400)")
        .expectBlock("d", 600 * K);
  }

  @Test
  void case19_everyFreeIsRequestedAndCompletedAtOnceAndTheSegmentBecomesOneBlock() {
    script
        .alloc("a", 2 * M)
        .alloc("b", 3 * M)
        .alloc("c", 4 * M)
        .ignore()
        .free("a")
        .expect("FR(S1,2M) FC(S1,2M)")
        .free("c")
        .expect("FR(S1+5M,4M) FC(S1+5M,4M)")
        .free("b")
        .expect("FR(S1+2M,3M) FC(S1+2M,3M)");
    LayoutCheck layout = script.layout();
    assertEquals(1, layout.segments);
    assertEquals(1, layout.blockAt.size());
    assertEquals(20 * M, layout.blockAt.values().iterator().next().bytes());
    script.expectStat("inactive_split.all.current", 0);
  }

  @Test
  void case20_largeBlockIsSplitAndItsRestServesTheNextRequest() {
    script
        .alloc("a", 30 * M)
        .free("a")
        .ignore()
        .alloc("b", 28 * M, "A(S1,28M)")
        .expectBlock("b", 28 * M)
        .alloc("c", 2 * M, "A(S1+28M,2M)");
  }

  @Test
  void case21_cachedBlockWithOneMebibyteToSpareIsHandedOutWhole() {
    script
        .alloc("a", 30 * M)
        .free("a")
        .ignore()
        .alloc("b", 29 * M, "A(S1,29M)")
        .expectBlock("b", 30 * M);
  }

  @Test
  void case22_cachedBlockWithMoreThanOneMebibyteToSpareIsSplit() {
    script
        .alloc("a", 30 * M)
        .free("a")
        .ignore()
        .alloc("b", 29 * M - 512, "A(S1,30408192)")
        .expectBlock("b", 29 * M - 512)
        .expectFreeBehind("b", M + 512);
  }

  @Test
  void case23_smallestFittingSegmentIsTaken() {
    script
        .alloc("a", 30 * M)
        .alloc("b", 40 * M)
        .free("b", "a")
        .ignore()
        .alloc("c", 25 * M, "A(S1,25M)");
  }

  @Test
  void case24_amongEqualBlocksTheLowerAddressIsTaken() {
    script
        .alloc("a", 30 * M)
        .alloc("b", 30 * M)
        .free("b", "a")
        .ignore()
        .alloc("c", 30 * M, "A(S1,30M)")
        .alloc("d", 30 * M, "A(S2,30M)");
  }

  @Test
  void case25_blocksServeOnlyTheirOwnStream() {
    script.alloc("a", 30 * M, 0).free("a").ignore().alloc("b", 30 * M, 1, "SA(S2,30M) A(S2,30M)");
  }

  @Test
  void case26_smallAndLargePoolNeverMix() {
    script
        .alloc("a", M)
        .alloc("b", 2 * M)
        .free("a", "b")
        .ignore()
        .alloc("c", 1049088, "A(S2,1049088)")
        .alloc("d", M, "A(S1,1M)");
  }

  @Test
  void case27_requestsAbove10MebibytesAreServedFromCachedSegmentsOf20Mebibytes() {
    script
        .alloc("a", 5 * M)
        .free("a")
        .ignore()
        .alloc("b", 15 * M, "A(S1,15M)")
        .alloc("c", 4 * M, "A(S1+15M,4M)");
  }

  @Test
  void case28_slackOfAWholeBlockCountsAsAllocatedNotAsSplit() {
    script
        .alloc("a", 20 * M)
        .free("a")
        .ignore()
        .alloc("b", 19 * M, "A(S1,19M)")
        .expectStat("allocated_bytes.all.current", 20 * M)
        .expectStat("requested_bytes.all.current", 19 * M)
        .expectStat("inactive_split.all.current", 0);
  }

  @Test
  void case29_inactiveSplitsCountNetChanges() {
    script
        .alloc("a", 3 * M)
        .alloc("b", 3 * M)
        .alloc("c", 3 * M)
        .free("b")
        .expectStat("inactive_split.all.current", 2)
        .expectStat("inactive_split_bytes.all.current", 14 * M)
        .free("a")
        .expectStat("inactive_split.all.current", 2)
        .expectStat("inactive_split_bytes.all.current", 17 * M)
        .free("c")
        .expectStat("inactive_split.all.current", 0)
        .expectStat("inactive_split_bytes.all.current", 0)
        .expectStat("inactive_split.all.allocated", 2)
        .expectStat("inactive_split.all.freed", 2);
  }
}
