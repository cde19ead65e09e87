package org.allocsim.analysis.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.analysis.serving.kvcache.PagedRules;
import org.allocsim.workloads.model.PageSharing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a share holds by the rules of vLLM's releases. */
class VllmReleaseTest {
  private static final long TOTAL = 84_974_239_744L;
  private static final long FREE_FIRST = 84_530_692_096L;
  private static final long FREE_SECOND = 59_029_782_528L;
  private static final long ALLOCATED = 278_004_224L;
  private static final long PEAK = 770_516_480L;
  private static final long NOT_TORCH = 566_099_456L;

  /** The figures that vllm-project/vllm#18858 prints for opt-125m at 0.3 of an A100. */
  private static ServingBudget published(String release, long freeBytes) {
    long context = TOTAL - FREE_FIRST;
    return new ServingBudget(
        TOTAL,
        context,
        0,
        FREE_FIRST - freeBytes,
        0.3,
        ALLOCATED,
        PEAK - ALLOCATED,
        NOT_TORCH - context,
        PEAK,
        0,
        VllmRelease.of(release));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.8", "0.8.5.post1", "v0.9.0", "0.9.0.1"})
  void theCacheIsTheOneThatTheEngineComputed(String release) {
    assertEquals(24_155_655_987L, published(release, FREE_FIRST).cacheBytes());
  }

  /** The second of three engines at 0.3 each had less than nothing, with 59 GB free. */
  @Test
  void othersComeOutOfTheShareBefore091() {
    assertEquals(
        24_155_655_987L - (FREE_FIRST - FREE_SECOND), published("0.9.0", FREE_SECOND).cacheBytes());
    assertFalse(published("0.9.0", FREE_SECOND).isRefused());
    long grown = NOT_TORCH - (TOTAL - FREE_FIRST);
    assertEquals((long) (TOTAL * 0.3) - PEAK - grown, published("0.9.1", FREE_SECOND).cacheBytes());
  }

  /** From 0.9.1 on an engine does not start where less is free than its share. */
  @Test
  void moreThanIsFreeIsRefusedFrom091On() {
    assertFalse(published("0.9.1", FREE_SECOND).at(0.69).isRefused());
    assertTrue(published("0.9.1", FREE_SECOND).at(0.7).isRefused());
    assertFalse(published("0.9.0", FREE_SECOND).at(0.7).isRefused());
    double largest = published("0.9.1", FREE_SECOND).largestUtilization();
    assertEquals(0.694, largest);
  }

  @ParameterizedTest
  @CsvSource({
    "0.6.3.post1, false, false, false, 0.9",
    "0.6.4,       true,  false, false, 0.9",
    "0.7.3,       false, false, false, 0.9",
    "0.8.0,       true,  false, false, 0.9",
    "0.9,         true,  false, false, 0.9",
    "0.9.1rc1,    false, true,  false, 0.9",
    "0.10.2,      false, true,  false, 0.9",
    "0.20.2,      false, true,  false, 0.9",
    "0.21.0,      false, true,  true,  0.92",
    "1.0,         false, true,  true,  0.92",
  })
  void eachReleaseHasItsRules(
      String release, boolean whole, boolean refuses, boolean graphs, double share) {
    VllmRelease rules = VllmRelease.of(release);
    assertEquals(whole, rules.countsWholeGpu());
    assertEquals(refuses, rules.refusesMoreThanFree());
    assertEquals(graphs, rules.hasGraphsInShare());
    assertEquals(share, rules.defaultUtilization());
  }

  @ParameterizedTest
  @CsvSource({
    "0.11.2, NONE,    NONE,    false, false, false, false, false, false",
    "0.12,   QUARTER, NONE,    false, false, false, false, false, false",
    "0.17.1, QUARTER, NONE,    false, false, false, false, false, false",
    "0.18.1, HALF,    NONE,    false, false, false, false, false, false",
    "0.19,   HALF,    NONE,    true,  false, false, false, false, false",
    "0.21,   HALF,    NONE,    true,  true,  false, false, false, false",
    "0.23.0, HALF,    WINDOWS, true,  true,  false, false, false, false",
    "0.24,   HALF,    ALL,     true,  true,  true,  false, false, false",
    "0.25.1, HALF,    ALL,     true,  true,  true,  false, false, false",
    "0.26,   HALF,    ALL,     true,  true,  true,  true,  false, false",
    "0.27,   HALF,    ALL,     true,  true,  true,  true,  true,  false",
    "0.28,   HALF,    ALL,     true,  true,  true,  true,  true,  false",
    "0.29,   HALF,    ALL,     true,  true,  true,  true,  true,  true",
  })
  void eachReleaseHasTheRulesOfItsCache(
      String release,
      PageSharing.Padding padding,
      PagedRules.Reuse reuse,
      boolean whole,
      boolean caps,
      boolean beside,
      boolean late,
      boolean states,
      boolean tails) {
    assertEquals(
        new PagedRules(padding, reuse, whole, caps, beside, late, states, tails),
        VllmRelease.of(release).pagedRules());
  }

  @Test
  void theNewestHasTheNewestRules() {
    assertEquals(PagedRules.NEWEST, VllmRelease.newest().pagedRules());
    assertEquals(PagedRules.FIRST, VllmRelease.of("0.8").pagedRules());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "new", "9", "0.", "0.99999", "0.9.1 or so", "-0.9"})
  void anythingElseIsNoRelease(String text) {
    assertThrows(IllegalArgumentException.class, () -> VllmRelease.of(text));
  }
}
