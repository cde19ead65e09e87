package org.allocsim.simulator.policy.umpire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.RequestScript;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UmpirePoolsTest {
  private static final String QUICK = "umpire-quick";
  private static final String LIST = "umpire-list";

  private static Map<String, String> small(String... more) {
    Map<String, String> options = new HashMap<>(Map.of("first", "1024", "next", "128"));
    for (int i = 0; i < more.length; i += 2) {
      options.put(more[i], more[i + 1]);
    }
    return options;
  }

  private static UmpirePool pool(RequestScript script) {
    return (UmpirePool) script.policy();
  }

  private static int[] allocations(RequestScript script, int count, long bytes) {
    int[] ids = new int[count];
    for (int i = 0; i < count; i++) {
      ids[i] = script.allocate(bytes);
    }
    return ids;
  }

  @Test
  void qpl1_freeingEverythingCoalescesToTheHighWatermark() throws Exception {
    RequestScript script = new RequestScript(QUICK, small());
    int[] ids = allocations(script, 9, 1024);
    assertEquals(9, pool(script).driverBlocks());
    assertEquals(0, pool(script).releasableBlocks());
    for (int id : ids) {
      script.free(id);
    }
    assertEquals(1, pool(script).driverBlocks());
    assertEquals(9216, pool(script).actualBytes());
    assertEquals(9232, script.reservedBytes());
  }

  @Test
  void qpl2_shareOfReleasableBytesCoalescesAgainAndAgain() throws Exception {
    RequestScript script =
        new RequestScript(QUICK, small("coalesce", "percent_releasable_hwm(25)"));
    int[] ids = allocations(script, 23, 64);
    assertEquals(1536, pool(script).actualBytes());
    assertEquals(1472, pool(script).highWatermarkBytes());
    assertEquals(5, pool(script).driverBlocks());
    for (int i = 0; i < 4; i++) {
      script.free(ids[22 - i]);
    }
    assertEquals(List.of(), script.returns());
    script.free(ids[18]);
    assertEquals(List.of(144L, 144L, 144L), script.returns().stream().sorted().toList());
    assertEquals(336, script.deviceRequests().getLast());
    script.free(ids[17]);
    assertEquals(3, script.returns().size());
    script.free(ids[16]);
    assertEquals(464, script.deviceRequests().getLast());
    assertEquals(1472, pool(script).actualBytes());
    assertEquals(2, pool(script).driverBlocks());
    assertEquals(1, pool(script).releasableBlocks());
  }

  @Test
  void qpl3_numberOfReleasableBlocksCoalesces() throws Exception {
    RequestScript script = new RequestScript(QUICK, small("coalesce", "blocks_releasable_hwm(2)"));
    int[] ids = allocations(script, 23, 64);
    for (int i = 0; i < 4; i++) {
      script.free(ids[22 - i]);
    }
    assertEquals(1472, pool(script).actualBytes());
    assertEquals(4, pool(script).driverBlocks());
    assertEquals(1, pool(script).releasableBlocks());
  }

  @Test
  void qpl4and5_firstBlockOfTheDefaultPoolIs512MiBAndItsSlack() throws Exception {
    RequestScript script = new RequestScript(QUICK, Map.of());
    script.allocate(1);
    assertEquals(List.of(536_870_928L), script.deviceRequests());
    script.allocate(512 << 20);
    assertEquals(List.of(536_870_928L, 536_870_928L), script.deviceRequests());
  }

  @Test
  void dpl1_piecesAreCutExactlyInUnitsOf16() throws Exception {
    RequestScript script = new RequestScript(LIST, small());
    int first = script.allocate(512);
    int second = script.allocate(512);
    int third = script.allocate(100);
    assertEquals(List.of(1040L, 144L), script.deviceRequests());
    assertEquals(script.address(first) + 512, script.address(second));
    assertEquals(112, script.blockBytes(third));
    assertEquals(List.of(16L + 16), script.freeBlocks());
    int fourth = script.allocate(16);
    assertEquals(script.address(third) + 112, script.address(fourth));
  }

  @Test
  void dpl2_smallestPieceThatFitsIsTakenWhereverItLies() throws Exception {
    RequestScript script = new RequestScript(LIST, small());
    int low = script.allocate(128);
    script.allocate(256);
    int high = script.allocate(112);
    script.allocate(528);
    script.free(low);
    script.free(high);
    assertEquals(script.address(high), script.address(script.allocate(100)));
  }

  @ParameterizedTest
  @ValueSource(strings = {QUICK, LIST})
  void dpl3_piecesOfTwoDriverBlocksStaySeparate(String policy) throws Exception {
    RequestScript script =
        new RequestScript(
            policy,
            Map.of(
                "first",
                "256",
                "next",
                "256",
                "alignment",
                "256",
                "coalesce",
                "percent_releasable(0)"));
    int first = script.allocate(256);
    int second = script.allocate(256);
    script.free(first);
    script.free(second);
    assertEquals(List.of(512L, 512L), script.freeBlocks());
    assertEquals(2, pool(script).releasableBlocks());
  }

  @Test
  void dpl4_listCoalescesOnlyWithTwoWhollyFreeBlocks() throws Exception {
    RequestScript script = new RequestScript(LIST, small());
    script.free(script.allocate(512));
    assertEquals(List.of(1040L), script.deviceRequests());
    assertEquals(List.of(), script.returns());
    int first = script.allocate(1024);
    int second = script.allocate(128);
    script.free(first);
    script.free(second);
    assertEquals(List.of(1040L, 144L), script.returns());
    assertEquals(List.of(1040L, 144L, 1168L), script.deviceRequests());
    assertEquals(1152, pool(script).actualBytes());
    assertEquals(1, pool(script).releasableBlocks());
  }

  @Test
  void quickPoolTakesTheOldestOfEqualPiecesAndTheListTheLowest() throws Exception {
    for (String policy : List.of(QUICK, LIST)) {
      RequestScript script = new RequestScript(policy, small());
      int[] ids = allocations(script, 5, 64);
      script.free(ids[3]);
      script.free(ids[1]);
      int expected = policy.equals(QUICK) ? ids[3] : ids[1];
      assertEquals(script.address(expected), script.address(script.allocate(64)), policy);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {QUICK, LIST})
  void refusalReleasesWholeBlocksAndTriesOnceMore(String policy) throws Exception {
    RequestScript script =
        new RequestScript(policy, small("coalesce", "percent_releasable(0)"), 2600, -1);
    int first = script.allocate(1024);
    script.allocate(1024);
    script.free(first);
    assertTrue(script.isServed(script.allocate(1400)));
    assertEquals(List.of(1040L), script.returns());
    assertFalse(script.isServed(script.allocate(1400)));
    assertEquals(1, script.failures());
  }

  @ParameterizedTest
  @ValueSource(strings = {QUICK, LIST})
  void limitHoldsForEverythingAskedOfTheDriver(String policy) throws Exception {
    RequestScript script = new RequestScript(policy, small(), 1L << 40, 1183);
    assertTrue(script.isServed(script.allocate(1024)));
    assertFalse(script.isServed(script.allocate(16)));
    RequestScript enough = new RequestScript(policy, small(), 1L << 40, 1184);
    enough.allocate(1024);
    assertTrue(enough.isServed(enough.allocate(16)));
  }

  @ParameterizedTest
  @ValueSource(strings = {QUICK, LIST})
  void whatWentBackCountsNoLongerTowardsTheLimit(String policy) throws Exception {
    RequestScript script =
        new RequestScript(policy, small("coalesce", "percent_releasable(0)"), 1L << 40, 1200);
    script.free(script.allocate(1024));
    assertTrue(script.isServed(script.allocate(1104)));
    assertEquals(1, script.retries());
    assertFalse(script.isServed(script.allocate(128)));
    assertEquals(1, script.retries(), "nothing could go back");
  }

  @ParameterizedTest
  @ValueSource(strings = {QUICK, LIST})
  void slackCountsToTheLastPieceOfADriverBlock(String policy) throws Exception {
    RequestScript script = new RequestScript(policy, small());
    assertEquals(1024 + 16, script.blockBytes(script.allocate(1024)));
    assertEquals(64, script.blockBytes(script.allocate(64)));
    assertEquals(64 + 16, script.blockBytes(script.allocate(64)));
    assertEquals(List.of(), script.freeBlocks());
  }

  @ParameterizedTest
  @ValueSource(strings = {QUICK, LIST})
  void coalescedBlockBelongsToTheStreamOfTheFree(String policy) throws Exception {
    RequestScript script = RequestScript.onStreams(policy, small(), 5, 9);
    int first = script.allocate(1024, 1);
    int second = script.allocate(1024, 1);
    script.free(first);
    script.free(second);
    MemoryLayout layout = MemoryLayout.of(script.policy());
    assertEquals(1, layout.segmentCount());
    assertEquals(1, layout.stream(0));
  }

  @Test
  void coalescingToWhatThePoolHasLeavesTheOrderOfItsFreePieces() throws Exception {
    RequestScript script = new RequestScript(QUICK, small("coalesce", "blocks_releasable_hwm(1)"));
    int[] ids = allocations(script, 16, 64);
    script.free(ids[2]);
    script.free(ids[4]);
    int other = script.allocate(128);
    assertEquals(1024, pool(script).highWatermarkBytes());
    script.free(other);
    assertEquals(List.of(144L), script.returns());
    assertEquals(1024, pool(script).actualBytes());
    assertEquals(script.address(ids[2]), script.address(script.allocate(64)));
    assertEquals(script.address(ids[4]), script.address(script.allocate(64)));
  }

  @Test
  void equalPiecesOfAQuickPoolServeInTheOrderOfTheirFreesHoweverMany() throws Exception {
    RequestScript script = new RequestScript(QUICK, Map.of());
    int[] ids = allocations(script, 1200, 16);
    for (int i = ids.length - 1; i > 0; i -= 2) {
      script.free(ids[i]);
    }
    // The last one merged with what is free after it.
    for (int i = ids.length - 3; i > 0; i -= 2) {
      assertEquals(script.address(ids[i]), script.address(script.allocate(16)));
    }
  }

  @Test
  void driverBlocksOfAtMostOnePebibyteMayBeAskedFor() throws Exception {
    RequestScript script = new RequestScript(QUICK, Map.of("first", "1PiB"));
    script.allocate(1);
    assertEquals(List.of((1L << 50) + 16), script.refusals());
    assertThrows(
        PolicyOptionException.class,
        () -> new RequestScript(QUICK, Map.of("next", "1125899906842625")));
  }

  /** Umpire would ask its heuristic again without end. */
  @Test
  void quickPoolCoalescesOnceAFreeWhereFreePiecesRemainInOtherBlocks() throws Exception {
    RequestScript script =
        new RequestScript(QUICK, small("coalesce", "percent_releasable_hwm(25)"));
    int[] ids = allocations(script, 32, 64);
    script.free(ids[0]);
    for (int i = 31; i >= 24; i--) {
      script.free(ids[i]);
    }
    assertEquals(2048, pool(script).highWatermarkBytes());
    assertTrue(pool(script).actualBytes() <= 2048);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"percent_releasable(101)", "percent_releasable", "blocks(2)", "", "hwm(1)"})
  void whatIsNoHeuristicIsRefused(String text) {
    PolicyOptionException error =
        assertThrows(
            PolicyOptionException.class, () -> new RequestScript(QUICK, Map.of("coalesce", text)));
    assertTrue(error.getMessage().contains("percent_releasable"), error.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "24", "512"})
  void alignmentIsAPowerOfTwoUpTo256(String text) {
    assertThrows(
        PolicyOptionException.class, () -> new RequestScript(LIST, Map.of("alignment", text)));
  }

  @Test
  void sharesAreComputedWithFloatsAsUmpireDoes() {
    CoalesceHeuristic half = CoalesceHeuristic.parse("percent_releasable(57)");
    long actual = 100_000_007;
    long threshold = (long) (57f / 100f * (float) actual);
    assertEquals(0, half.suggestedBytes(actual, threshold - 1, 1, 5));
    assertEquals(actual, half.suggestedBytes(actual, threshold, 1, 5));
    assertEquals(5, CoalesceHeuristic.parse("blocks_releasable_hwm(3)").suggestedBytes(9, 1, 3, 5));
    assertEquals(0, CoalesceHeuristic.parse("blocks_releasable_hwm(3)").suggestedBytes(9, 9, 2, 5));
    assertEquals(0, CoalesceHeuristic.parse("percent_releasable(0)").suggestedBytes(9, 9, 2, 5));
  }
}
