package org.allocsim.simulator.policy.pytorch;

import static org.allocsim.simulator.policy.pytorch.AllocatorScript.M;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rounding, pools and segment sizes of PyTorch 2.11. */
class ConformanceCasesRoundingTest {
  private final AllocatorScript script = AllocatorScript.plain();

  private static void expectBlock(String conf, long requested, long block) {
    AllocatorScript.with(conf).alloc("a", requested).expectBlock("a", block);
  }

  @Test
  void case01_blocksAreMultiplesOf512AndSmallRequestsShareSegmentsOf2Mebibytes() {
    script
        .alloc("a", 1, "SA(S1,2M) A(S1,1)")
        .alloc("b", 512, "A(S1+512,512)")
        .alloc("c", 513, "A(S1+1024,513)")
        .expectBlock("a", 512)
        .expectBlock("b", 512)
        .expectBlock("c", 1024);
  }

  @Test
  void case02_oneMebibyteIsStillSmall() {
    script.alloc("a", M, "SA(S1,2M) A(S1,1M)").expectFreeBehind("a", M);
  }

  @Test
  void case03_moreThanOneMebibyteTakesASegmentOf20Mebibytes() {
    script.alloc("a", 1048577, "SA(S1,20M) A(S1,1048577)").expectBlock("a", 1049088);
  }

  @Test
  void case04_requestThatRoundsToLessThan10MebibytesTakesASegmentOf20Mebibytes() {
    script.alloc("a", 10485248, "SA(S1,20M) A(S1,10485248)");
  }

  @Test
  void case05_requestThatRoundsToTenMebibytesTakesItsOwnSegment() {
    script.alloc("a", 10485249, "SA(S1,10M) A(S1,10485249)").expectBlock("a", 10 * M);
  }

  @Test
  void case06_tenMebibytesFillTheirSegment() {
    script
        .alloc("a", 10 * M, "SA(S1,10M) A(S1,10M)")
        .expectBlock("a", 10 * M)
        .expectStat("inactive_split.all.current", 0);
  }

  @Test
  void case07_largeSegmentsGrowInStepsOf2MebibytesAndAreSplit() {
    script
        .alloc("a", 10485761, "SA(S1,12M) A(S1,10485761)")
        .expectFreeBehind("a", 2096640)
        .expectStat("inactive_split_bytes.large_pool.current", 2096640);
  }

  @Test
  void case08_remainderOfExactlyOneMebibyteIsNotSplit() {
    script
        .alloc("a", 11 * M, "SA(S1,12M) A(S1,11M)")
        .expectBlock("a", 12 * M)
        .expectStat("allocated_bytes.all.current", 12 * M)
        .expectStat("requested_bytes.all.current", 11 * M)
        .expectStat("inactive_split.all.current", 0);
  }

  @Test
  void case09_remainderAboveOneMebibyteIsSplit() {
    script
        .alloc("a", 11533824, "SA(S1,12M) A(S1,11533824)")
        .expectBlock("a", 11533824)
        .expectFreeBehind("a", M + 512);
  }

  @ParameterizedTest
  @CsvSource({"1200, 1536", "2048, 2048", "2049, 2560", "5242881, 6291456", "6291456, 6291456"})
  void case10_fourDivisionsRoundUpToQuartersOfAPowerOfTwoFromFourBlocksOn(
      long requested, long block) {
    expectBlock("roundup_power2_divisions:4", requested, block);
  }

  @ParameterizedTest
  @CsvSource({"4096, 4096", "4097, 4608", "1048577, 1179648"})
  void case11_eightDivisionsRoundUpToEighths(long requested, long block) {
    expectBlock("roundup_power2_divisions:8", requested, block);
  }

  @Test
  void case11_roundedRequestBelow10MebibytesStillTakesASegmentOf20Mebibytes() {
    AllocatorScript.with("roundup_power2_divisions:8")
        .alloc("a", 1048577, "SA(S1,20M) A(S1,1048577)");
  }

  @ParameterizedTest
  @CsvSource({
    "300000, 300032",
    "104857601, 104858112",
    "314572801, 314573312",
    "629145600, 805306368",
    "1610612737, 1879048192",
    "3221225473, 3489660928"
  })
  void case12_eachIntervalHasItsOwnDivisions(long requested, long rounded) {
    // Blocks up to 1 MiB larger are handed out whole, so the OOM entry shows the rounded size.
    AllocatorScript full =
        AllocatorScript.limited("roundup_power2_divisions:[256:1,512:2,1024:4,>:8]", 0);
    full.alloc("a", requested, "OOM(" + ScriptedDevice.size(rounded) + ")");
  }

  @Test
  void case13_intervalBelowTheFirstListedOneIsNotRoundedWhereOnlyTheRestIsListed() {
    expectBlock("roundup_power2_divisions:[>:8]", 1048577, 1049088);
    expectBlock("roundup_power2_divisions:[>:8]", 3 * M, 3 * M);
    expectBlock("roundup_power2_divisions:[>:8]", 3 * M + 1, 3 * M + 256 * 1024);
  }

  @Test
  void case14_requestForNothingDoesNothing() {
    assertEquals(0, script.allocator.allocate(0, 0, 0, 0));
    script.expect("");
    script.allocator.free(0);
    script.expect("");
    script
        .stats
        .toMap()
        .forEach((key, value) -> {
          if (!key.equals("max_split_size")) {
            assertEquals(0, value, key);
          }
        });
  }

  @Test
  void case15_oneExabyteIsRefusedBeforeTheAllocatorIsAsked() {
    script
        .alloc(
            "a", 1L << 60, "REJECTED(CUDA out of memory. Tried to allocate more than 1EB memory.)")
        .expectStat("num_ooms", 0)
        .expectStat("num_alloc_retries", 0);
  }

  @Test
  void case16_largeSegmentSizeServesRequestsBelow10MebibytesOnly() {
    AllocatorScript.with("large_segment_size_mb:64")
        .alloc("a", 2 * M, "SA(S1,64M) A(S1,2M)")
        .alloc("b", 9 * M, "A(S1+2M,9M)")
        .alloc("c", 60 * M, "SA(S2,60M) A(S2,60M)");
  }
}
