package org.allocsim.reports.answer.serving;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.allocsim.analysis.serving.CacheChoice;
import org.allocsim.analysis.serving.CacheKind;
import org.allocsim.analysis.serving.ServingBudget;
import org.allocsim.analysis.serving.ServingResult;
import org.allocsim.analysis.serving.ServingSettings;
import org.allocsim.analysis.serving.ShareTrial;
import org.allocsim.analysis.serving.VllmRelease;
import org.allocsim.analysis.serving.traffic.Traffic;
import org.allocsim.reports.answer.AnswerFigures;
import org.allocsim.workloads.model.ServedModels;
import org.junit.jupiter.api.Test;

/**
 * A GPU of 100 GiB with a context of 1 GiB. The model has weights of 20 GiB, its profiling run
 * takes 4 GiB and its graphs 1 GiB. A token of yi-6b is 64 KiB: 32 layers of 4 heads of 128 numbers
 * of 2 bytes, for keys and for values.
 */
class ServeAnswerTest {
  private static final long GIB = 1L << 30;

  private static ServingBudget budget(double utilization, String release) {
    return new ServingBudget(
        100 * GIB,
        GIB,
        0,
        0,
        utilization,
        20 * GIB,
        4 * GIB,
        0,
        24 * GIB,
        GIB,
        VllmRelease.of(release));
  }

  /** A run with a cache of 64 GiB, of which sequences hold a half. */
  private static ServingResult result(CacheKind cache, long endNanos) {
    return new ServingResult(
        CacheChoice.of(cache, VllmRelease.of("0.18")),
        4096,
        2,
        1,
        0,
        3,
        50,
        1000,
        250,
        40,
        0,
        0,
        60,
        2_000_000_000L,
        endNanos,
        1.5,
        2,
        7_000,
        9_000,
        new ServingResult.Memory(
            64 * GIB,
            32.0 * GIB,
            48 * GIB,
            8.0 * GIB,
            16.0 * GIB,
            4.0 * GIB,
            64.0 * GIB,
            64 * GIB,
            300),
        new ServingResult.Driver(5, 4, 3_000, 1_000));
  }

  private static Traffic requests() {
    Traffic.Builder requests = new Traffic.Builder("test", 0);
    requests.add(0, 500, 20);
    requests.add(1_500_000_000L, 0, 20);
    requests.add(2_000_000_000L, 500, 20);
    return requests.build();
  }

  /** One cache at the share of the budget, and the same at other shares. */
  private static ServeAnswer answer(ServingBudget budget, Double... shares) {
    ServingResult paged = result(CacheKind.PAGED, 9_000_000_000L);
    return new ServeAnswer(
        "requests.jsonl",
        requests(),
        ServedModels.named("yi-6b").served(1, 2, 2),
        "gpu",
        ServingSettings.usual(4096),
        budget,
        List.of(paged, result(CacheKind.JENGA, 8_000_000_000L)),
        Stream.of(shares).map(share -> new ShareTrial(budget.at(share), paged)).toList(),
        0);
  }

  private static AnswerFigures figures(ServeAnswer answer) {
    return AnswerFigures.of(answer.document());
  }

  @Test
  void theShareLessWeightsAndTheProfilingRunIsTheCache() {
    ServeAnswer answer = answer(budget(0.75, "0.18"));
    assertTrue(answer.isSafe());
    AnswerFigures figures = figures(answer);
    figures.says(
        "With gpu_memory_utilization=0.75 the KV cache gets 51.00 GiB, enough for 835 584 tokens.");
    figures.is("/token_bytes", 65_536);
    figures.is("/budget/cache_bytes", 51 * GIB);
    figures.is("/budget/headroom_bytes", 23 * GIB);
    figures.is("/budget/refuses_to_start", false);
    figures.is("/budget/max_utilization_ratio", 0.98);
    figures.is("/budget/max_cache_bytes", 74 * GIB);
  }

  @Test
  void graphsComeOutOfTheShareSince021() {
    AnswerFigures figures = figures(answer(budget(0.75, "0.21")));
    figures.is("/budget/graphs_in_utilization", true);
    figures.is("/budget/cache_bytes", 50 * GIB);
    figures.is("/budget/headroom_bytes", 24 * GIB);
  }

  @Test
  void aShareThatLeavesNoRoomForGraphsIsNotSafe() {
    ServeAnswer answer = answer(budget(1, "0.8"));
    assertFalse(answer.isSafe());
    AnswerFigures figures = figures(answer);
    figures.says(
        "With gpu_memory_utilization=1.00 the GPU runs out of memory: context and graphs need 1.00"
            + " GiB more.");
    figures.is("/budget/whole_gpu_in_utilization", true);
    figures.is("/budget/cache_bytes", 75 * GIB);
    figures.is("/budget/headroom_bytes", -GIB);
  }

  @Test
  void moreThanIsFreeIsRefused() {
    ServeAnswer answer = answer(budget(1, "0.18"));
    assertFalse(answer.isSafe());
    AnswerFigures figures = figures(answer);
    figures.says(
        "With gpu_memory_utilization=1.00 the engine refuses to start: it needs 100.00 GiB, but"
            + " only 99.00 GiB is free.");
    figures.is("/budget/refuses_to_start", true);
  }

  @Test
  void fractionsAreOfTheWholeCache() {
    AnswerFigures figures = figures(answer(budget(0.75, "0.18")));
    figures.has("/caches", 2);
    figures.is("/caches/0/cache", "paged");
    figures.is("/caches/0/useful_ratio", 0.375);
    figures.is("/caches/0/internal_waste_ratio", 0.125);
    figures.is("/caches/0/external_waste_ratio", 0.25);
    figures.is("/caches/0/kept_prefix_ratio", 0.0625);
    figures.is("/caches/0/waste_of_held_ratio", 0.25);
    figures.is("/caches/0/prefix_hit_ratio", 0.25);
    figures.is("/caches/0/peak_held_bytes", 48 * GIB);
    figures.is("/caches/0/busy_seconds", 2.0);
    figures.is("/caches/0/end_seconds", 9.0);
    figures.is("/verdict/details/1", "jenga finishes first, after 8.00 s with 3 preemptions.");
  }

  @Test
  void requestsWithoutAPromptAreCountedAndNotServed() {
    AnswerFigures figures = figures(answer(budget(0.75, "0.18")));
    figures.is("/requests", 2);
    figures.is("/skipped_requests", 1);
    figures.is("/span_seconds", 2.0);
  }

  @Test
  void eachShareHasTheBudgetThatItLeaves() {
    AnswerFigures figures = figures(answer(budget(0.75, "0.18"), 0.5, 0.875));
    figures.has("/utilizations", 2);
    figures.is("/utilizations/0/gpu_memory_utilization_ratio", 0.5);
    figures.is("/utilizations/0/cache_bytes", 26 * GIB);
    figures.is("/utilizations/0/headroom_bytes", 48 * GIB);
    figures.is("/utilizations/1/cache_bytes", 63 * GIB + GIB / 2);
    figures.is("/utilizations/1/headroom_bytes", 10 * GIB + GIB / 2);
    figures.is("/utilizations/1/max_running", 2);
  }
}
