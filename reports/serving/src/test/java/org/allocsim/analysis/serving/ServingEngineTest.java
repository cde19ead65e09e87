package org.allocsim.analysis.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.allocsim.analysis.serving.traffic.Traffic;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.workloads.model.Draft;
import org.allocsim.workloads.model.LayerGroup;
import org.allocsim.workloads.model.ServedModel;
import org.allocsim.workloads.model.ServedModels;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine's schedule, worked by hand and on random requests. */
class ServingEngineTest {
  private static final ServedModel MODEL = ServedModels.named("yi-6b").served(1, 2, 2);

  private static ServingSettings settings(int sequences, int stepTokens) {
    return new ServingSettings(
        sequences, stepTokens, 4096, 16, 0, 65_536, Optional.empty(), SglangSettings.USUAL);
  }

  private static ServingResult serve(
      Traffic traffic, CacheKind cache, long tokens, ServingSettings settings) {
    return serve(traffic, MODEL, CacheChoice.of(cache, VllmRelease.of("0.18")), tokens, settings);
  }

  private static ServingResult serve(
      Traffic traffic,
      ServedModel model,
      CacheChoice cache,
      long tokens,
      ServingSettings settings) {
    return ServingComparison.run(
            traffic,
            model,
            DeviceProfiles.defaultProfile(),
            settings,
            List.of(cache),
            _ -> tokens * model.tokenBytes(),
            (_, _) -> {})
        .getFirst();
  }

  private static Traffic requests(int... lengths) {
    Traffic.Builder traffic = new Traffic.Builder("test", 0);
    for (int i = 0; i < lengths.length; i += 2) {
      traffic.add(0, lengths[i], lengths[i + 1]);
    }
    return traffic.build();
  }

  private static Traffic random(long seed, int count, long gapNanos) {
    SplittableRandom random = new SplittableRandom(seed);
    Traffic.Builder traffic = new Traffic.Builder("test", 512);
    long nanos = 0;
    for (int i = 0; i < count; i++) {
      nanos += random.nextLong(gapNanos);
      int prompt = random.nextInt(1, 1500);
      traffic.add(nanos, prompt, random.nextInt(1, 300));
      int family = random.nextInt(5) * 10;
      for (int block = 0; block * 512 < prompt; block++) {
        traffic.addBlock(block < 2 ? family + block : 1000 + i * 10 + block);
      }
    }
    return traffic.build();
  }

  private static long outputs(Traffic traffic) {
    long sum = 0;
    for (int i = 0; i < traffic.count(); i++) {
      sum += traffic.outputTokens(i);
    }
    return sum;
  }

  @Test
  void aPromptGivesTheFirstTokenAndEachStepOneMore() {
    ServingResult result = serve(requests(20, 5), CacheKind.PAGED, 4096, settings(4, 64));
    assertEquals(5, result.steps());
    assertEquals(5, result.outputTokens());
    assertEquals(1, result.served());
    assertEquals(32L * MODEL.tokenBytes(), result.memory().peakHeldBytes(), "24 tokens at most");
  }

  @Test
  void aLongPromptIsComputedInParts() {
    ServingResult result = serve(requests(200, 1), CacheKind.PAGED, 4096, settings(4, 64));
    assertEquals(4, result.steps());
  }

  @Test
  void onlySoManySequencesRunTogether() {
    ServingResult result =
        serve(requests(10, 4, 10, 4, 10, 4), CacheKind.PAGED, 4096, settings(2, 64));
    assertEquals(2, result.mostRunning());
    assertEquals(8, result.steps());
  }

  /** Five blocks: two sequences of two blocks; the first to need a third throws the other out. */
  @Test
  void theSequenceThatBeganLastIsThrownOutAndBeginsAgain() {
    ServingResult result = serve(requests(31, 20, 31, 20), CacheKind.PAGED, 96, settings(4, 64));
    assertEquals(1, result.preemptions());
    assertEquals(2, result.served());
    assertEquals(40, result.outputTokens());
    assertTrue(result.recomputedTokens() > 0);
  }

  @Test
  void whatCanNeverFitIsRefusedAndWhatGrowsTooLongIsCut() {
    ServingResult result =
        serve(requests(5000, 2, 90, 2, 60, 90), CacheKind.PAGED, 96, settings(4, 64));
    assertEquals(2, result.rejected());
    assertEquals(1, result.served());
    assertEquals(1, result.cut());
    assertEquals(20, result.outputTokens(), "80 tokens fit, 60 of which are the prompt");
  }

  /** What is refused before it begins, and how many of its requests are not: one fewer would do. */
  @Test
  void moreWorkThanIsServedIsRefusedWithTheRequestsThatAreNot() {
    int prompt = 32;
    int answer = 4000;
    Traffic.Builder traffic = new Traffic.Builder("test", 0);
    long fits = ServingWork.MOST / (prompt / 16 + answer);
    for (int i = 0; i < fits + 5; i++) {
      traffic.add(0, prompt, answer);
    }
    String message =
        assertThrows(
                IllegalArgumentException.class,
                () -> serve(traffic.build(), CacheKind.PAGED, 8192, settings(4, 64)))
            .getMessage();
    assertEquals(
        ("the %d requests exceed the limit of 536870912 sequence steps and prompt blocks:"
                + " serve only the first ones with --first %d")
            .formatted(fits + 5, fits),
        message);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SGLANG")
  void everyRequestGetsItsAnswerHoweverLittleRoomThereIs(CacheKind cache) {
    for (long seed = 0; seed < 6; seed++) {
      Traffic traffic = random(seed, 120, 20_000_000);
      // Pages of kvcached are 128 MiB here: two thousand tokens.
      ServingResult result = serve(traffic, cache, 10_000, settings(32, 512));
      assertEquals(traffic.count(), result.served(), "seed " + seed);
      assertEquals(outputs(traffic), result.outputTokens(), "seed " + seed);
      assertEquals(0, result.rejected());
      assertTrue(result.preemptions() > 0, "seed " + seed);
      assertTrue(result.memory().peakHeldBytes() <= result.memory().capacityBytes());
    }
  }

  @Test
  void withRoomForAllTheCachesWithoutDriverCallsServeAlike() {
    Traffic traffic = random(9, 300, 30_000_000);
    ServingResult paged = serve(traffic, CacheKind.PAGED, 400_000, settings(64, 512));
    ServingResult jenga = serve(traffic, CacheKind.JENGA, 400_000, settings(64, 512));
    assertEquals(0, paged.preemptions());
    assertEquals(paged.endNanos(), jenga.endNanos());
    assertEquals(paged.hitTokens(), jenga.hitTokens());
    assertEquals(paged.memory().heldBytes(), jenga.memory().heldBytes());
    assertTrue(paged.hitTokens() > 0);
  }

  @Test
  void alikePromptsAreComputedOnceAndOthersAreNot() {
    Traffic.Builder traffic = new Traffic.Builder("test", 512);
    for (int i = 0; i < 3; i++) {
      traffic.add(i * 10_000_000_000L, 1024, 1);
      traffic.addBlock(7);
      traffic.addBlock(8 + i);
    }
    ServingResult result = serve(traffic.build(), CacheKind.PAGED, 8192, settings(4, 4096));
    assertEquals(2 * 512, result.hitTokens());
    assertEquals(3 * 1024, result.promptTokens());
  }

  /** Seven blocks: four of the first prompt, and for a while one for the start of the second. */
  @Test
  void aPromptBeginsOnlyWhereAllOfItFitsSince019() {
    Traffic traffic = requests(60, 30, 100, 2);
    CacheChoice before = CacheChoice.named("paged@0.18", VllmRelease.newest());
    CacheChoice since = CacheChoice.named("paged@0.19", VllmRelease.newest());
    ServingResult early = serve(traffic, MODEL, before, 128, settings(4, 64));
    ServingResult late = serve(traffic, MODEL, since, 128, settings(4, 64));
    assertEquals(2, early.mostRunning());
    assertTrue(early.preemptions() > 0);
    assertEquals(1, late.mostRunning());
    assertEquals(0, late.preemptions());
    assertEquals(early.outputTokens(), late.outputTokens());
  }

  /** Layers with and without windows, by the rules of each release. */
  @ParameterizedTest
  @ValueSource(strings = {"0.18", "0.19", "0.21", "0.23", "0.24", "0.26", "0.29"})
  void everyRequestGetsItsAnswerWithWindowsToo(String release) {
    ServedModel model = ServedModels.named("gemma-2-9b").served(1, 2, 2);
    CacheChoice cache = CacheChoice.of(CacheKind.PAGED, VllmRelease.of(release));
    for (long seed = 0; seed < 6; seed++) {
      Traffic traffic = random(seed, 40, 1_000_000);
      ServingResult result = serve(traffic, model, cache, 9000 + 500 * seed, settings(16, 512));
      long answers = 0;
      for (int request = 0; request < traffic.count(); request++) {
        answers += traffic.outputTokens(request);
      }
      assertEquals(40, result.served(), "seed " + seed);
      assertEquals(answers, result.outputTokens(), "seed " + seed);
    }
  }

  /** Up to 0.12, and with a head, layers that look back at chunks keep all tokens. */
  @Test
  void chunksTakeNoMoreThanTheirOwnMemorySince013() {
    ServedModel model = chunked();
    Traffic traffic = random(3, 40, 1_000_000);
    ServingResult before = serve(traffic, model, release("0.12"), 9000, settings(40, 512));
    ServingResult since = serve(traffic, model, release("0.13"), 9000, settings(40, 512));
    ServingResult newest = serve(traffic, model, release("0.29"), 9000, settings(40, 512));
    ServingResult withHead =
        serve(traffic, model, release("0.29"), 9000, guessing(40, 512, 1, 0.5, true));
    for (ServingResult result : List.of(before, since, newest, withHead)) {
      assertEquals(40, result.served());
      assertEquals(outputs(traffic), result.outputTokens());
    }
    assertTrue(since.meanRunning() > before.meanRunning());
    assertTrue(newest.meanRunning() > withHead.meanRunning());
  }

  /** States in groups of ten layers like those that store tokens, in blocks of 160 tokens. */
  private static ServedModel stateful() {
    ServedModel model = chunked();
    long bytes = model.groups().getFirst().tokenBytes();
    return with(
        model, List.of(new LayerGroup(10, bytes, 0), LayerGroup.state(30, bytes, 150 * bytes)));
  }

  private static ServingSettings largeBlocks(int sequences, int stepTokens) {
    ServingSettings usual = settings(sequences, stepTokens);
    return new ServingSettings(
        sequences,
        stepTokens,
        usual.mostTokens(),
        stateful().blockTokens(16),
        0,
        usual.pageBytes(),
        Optional.empty(),
        usual.sglang());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.12", "0.19", "0.26", "0.27", "0.29"})
  void everyRequestGetsItsAnswerWithStatesToo(String release) {
    assertEquals(160, stateful().blockTokens(16));
    for (long seed = 0; seed < 6; seed++) {
      Traffic traffic = random(seed, 60, 1_000_000);
      ServingResult result =
          serve(traffic, stateful(), release(release), 20_000, largeBlocks(16, 512));
      assertEquals(60, result.served(), "seed " + seed);
      assertEquals(outputs(traffic), result.outputTokens(), "seed " + seed);
    }
  }

  /** Before 0.27 models with states remember nothing. */
  @Test
  void statesAreFoundAgainSince027() {
    Traffic traffic = random(4, 200, 1_000_000);
    ServedModel model = stateful();
    ServingResult before = serve(traffic, model, release("0.26"), 400_000, largeBlocks(16, 512));
    ServingResult dense = serve(traffic, model, release("0.27"), 400_000, largeBlocks(16, 512));
    ServingResult tails = serve(traffic, model, release("0.29"), 400_000, largeBlocks(16, 512));
    assertEquals(0, before.hitTokens());
    assertTrue(tails.hitTokens() > 0);
    assertTrue(dense.hitTokens() >= tails.hitTokens());
    assertEquals(0, dense.hitTokens() % 160);
  }

  /** Parts of 480 tokens, three blocks, of a prompt that is longer: 1 000 in three steps. */
  @Test
  void promptsAreCutAtBlocksWhereStatesAreKept() {
    ServingResult before =
        serve(requests(1000, 1), stateful(), release("0.26"), 40_000, largeBlocks(4, 512));
    ServingResult since =
        serve(requests(1000, 1), stateful(), release("0.27"), 40_000, largeBlocks(4, 512));
    assertEquals(2, before.steps());
    assertEquals(3, since.steps());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PAGED")
  void otherCachesRefuseStates(CacheKind kind) {
    String message =
        assertThrows(
                IllegalArgumentException.class,
                () ->
                    serve(
                        requests(10, 1),
                        stateful(),
                        CacheChoice.of(kind, VllmRelease.newest()),
                        40_000,
                        settings(4, 64)))
            .getMessage();
    assertTrue(message.contains("layers that keep a state"), message);
  }

  /** A quarter of its layers look back at everything, the others at chunks. */
  private static ServedModel chunked() {
    ServedModel model = ServedModels.named("gemma-2-9b").served(1, 2, 2);
    long bytes = model.groups().getFirst().tokenBytes();
    return with(model, List.of(new LayerGroup(10, bytes, 0), new LayerGroup(30, bytes, 256, true)));
  }

  private static ServedModel with(ServedModel model, List<LayerGroup> groups) {
    return new ServedModel(
        "other layers",
        model.hidden(),
        model.inner(),
        model.vocabulary(),
        model.queryWidth(),
        model.weightBytes(),
        0,
        model.activeParameters(),
        model.contextTokens(),
        groups);
  }

  private static CacheChoice release(String release) {
    return CacheChoice.of(CacheKind.PAGED, VllmRelease.of(release));
  }

  private static ServingSettings guessing(
      int sequences, int stepTokens, int guesses, double acceptance, boolean isHead) {
    ServedModel draft =
        new Draft(ServedModels.named("yi-6b").ofLayers(1), isHead, guesses).served(1, 2, 2);
    return new ServingSettings(
        sequences,
        stepTokens,
        4096,
        16,
        0,
        65_536,
        Optional.of(new Speculation(draft, isHead, guesses, acceptance)),
        SglangSettings.USUAL);
  }

  /**
   * Leviathan et al., ICML 2023, table 1: how many times as fast, and as many tokens computed, with
   * a draft that takes no time.
   */
  @ParameterizedTest
  @CsvSource({
    "0.6,  2, 1.96, 1.53",
    "0.7,  3, 2.53, 1.58",
    "0.8,  2, 2.44, 1.23",
    "0.8,  5, 3.69, 1.63",
    "0.9,  2, 2.71, 1.11",
    "0.9, 10, 6.86, 1.60",
  })
  void aStepYieldsAsManyTokensAsThePaperSays(
      double acceptance, int guesses, double faster, double computed) {
    int[] lengths = new int[400];
    for (int i = 0; i < lengths.length; i += 2) {
      lengths[i] = 16;
      lengths[i + 1] = 3001;
    }
    ServingResult result =
        serve(
            requests(lengths), CacheKind.PAGED, 8000, guessing(1, 64, guesses, acceptance, false));
    // The first token of an answer comes from its prompt.
    double tokens = result.outputTokens() - 200;
    double steps = result.steps() - 200;
    assertEquals(faster, tokens / steps, 0.01 * faster);
    assertEquals(computed, (result.guessedTokens() + steps) / tokens, 0.01 * computed);
    assertEquals(result.outputTokens() - result.steps(), result.acceptedTokens());
  }

  /** Right guesses only: after the prompt a step gives four tokens, the last what is left. */
  @Test
  void rightGuessesAreTokensOfTheAnswer() {
    ServingResult result =
        serve(requests(20, 12), CacheKind.PAGED, 4096, guessing(4, 64, 3, 1, false));
    assertEquals(1 + 3, result.steps());
    assertEquals(12, result.outputTokens());
    assertEquals(9, result.guessedTokens());
    assertEquals(3 + 3 + 2, result.acceptedTokens());
  }

  /**
   * A prompt of 14 tokens takes one block; three guesses after it begin a second one. The last step
   * computes token 22 and three guesses, and has room for three more: 28 tokens, two blocks.
   */
  @Test
  void guessesAreStoredInBlocksOfTheSequence() {
    ServingResult plain = serve(requests(14, 1), CacheKind.PAGED, 4096, settings(4, 64));
    ServingResult guessed =
        serve(requests(14, 1), CacheKind.PAGED, 4096, guessing(4, 64, 3, 1, false));
    assertEquals(16 * MODEL.tokenBytes(), plain.memory().peakHeldBytes());
    long token = MODEL.tokenBytes() / 32 * 33;
    assertEquals(32 * token, guessed.memory().peakHeldBytes());
  }

  /** A step of five tokens: two sequences' last ones, then guesses as long as there are tokens. */
  @Test
  void guessesShareTheTokensOfAStep() {
    ServingResult result =
        serve(requests(1, 4, 1, 4), CacheKind.PAGED, 4096, guessing(2, 5, 3, 1, false));
    // Both prompts; all four tokens of one and one of the other; then it goes on alone.
    assertEquals(3, result.steps());
    assertEquals(8, result.outputTokens());
  }

  @Test
  void aHeadComputesTheLastBlockOfAStoredPrefixAgain() {
    Traffic.Builder traffic = new Traffic.Builder("test", 512);
    for (int i = 0; i < 2; i++) {
      traffic.add(i * 10_000_000_000L, 1024, 1);
      traffic.addBlock(7);
      traffic.addBlock(8 + i);
    }
    Traffic both = traffic.build();
    assertEquals(
        512, serve(both, CacheKind.PAGED, 8192, guessing(4, 4096, 3, 0.5, false)).hitTokens());
    assertEquals(
        496, serve(both, CacheKind.PAGED, 8192, guessing(4, 4096, 3, 0.5, true)).hitTokens());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SGLANG")
  void guessesChangeNoAnswerHoweverLittleRoomThereIs(CacheKind cache) {
    for (long seed = 0; seed < 4; seed++) {
      Traffic traffic = random(seed, 120, 20_000_000);
      ServingResult result = serve(traffic, cache, 10_000, guessing(32, 512, 4, 0.7, seed > 1));
      assertEquals(traffic.count(), result.served(), "seed " + seed);
      assertEquals(outputs(traffic), result.outputTokens(), "seed " + seed);
      assertTrue(result.preemptions() > 0, "seed " + seed);
      assertTrue(result.memory().peakHeldBytes() <= result.memory().capacityBytes());
    }
  }

  @Test
  void aDraftThatIsNeverRightOnlyCostsTime() {
    Traffic traffic = requests(20, 50);
    ServingResult plain = serve(traffic, CacheKind.PAGED, 4096, settings(4, 64));
    ServingResult wrong =
        serve(traffic, CacheKind.PAGED, 4096, guessing(4, 64, 3, Double.MIN_VALUE, false));
    assertEquals(plain.steps(), wrong.steps());
    assertEquals(0, wrong.acceptedTokens());
    assertTrue(wrong.busyNanos() > plain.busyNanos());
  }

  @Test
  void tooLittleMemoryForACacheIsSaid() {
    assertTrue(
        assertThrows(
                IllegalArgumentException.class,
                () -> serve(requests(1, 1), CacheKind.KVCACHED, 20, settings(4, 64)))
            .getMessage()
            .startsWith("cache kvcached cannot be created for yi-6b"));
  }

  private static ServingBudget budget(
      double share, long weightBytes, long graphBytes, String release) {
    return ServingBudget.of(
        DeviceProfiles.defaultProfile(),
        share,
        weightBytes,
        1L << 30,
        graphBytes,
        0,
        VllmRelease.of(release));
  }

  /** From 0.21 on: the share less the graphs too, so that as much is left whatever they take. */
  @Test
  void graphsMayComeOutOfTheShare() {
    ServingBudget small = budget(0.9, 16L << 30, 1L << 29, "0.20");
    ServingBudget large = budget(0.9, 16L << 30, 3L << 30, "0.20");
    ServingBudget smallLater = budget(0.9, 16L << 30, 1L << 29, "0.21");
    ServingBudget largeLater = budget(0.9, 16L << 30, 3L << 30, "0.21");
    assertEquals(small.cacheBytes(), large.cacheBytes());
    assertEquals(small.cacheBytes() - (1L << 29), smallLater.cacheBytes());
    assertEquals(large.cacheBytes() - (3L << 30), largeLater.cacheBytes());
    assertEquals(smallLater.leftBytes(), largeLater.leftBytes());
    assertEquals(smallLater.largestUtilization(), largeLater.largestUtilization());
    ServingBudget atMost = largeLater.at(largeLater.largestUtilization());
    assertTrue(atMost.leftBytes() >= 0);
    assertTrue(atMost.at(atMost.utilization() + 0.001).leftBytes() < 0);
  }

  /** A GPU of 80 GB and Llama 3.1 8B: what is left where vLLM's share is 0.9. */
  @Test
  void theBudgetIsTheShareLessWeightsAndProfile() {
    ServingBudget budget = budget(0.9, 16_060_522_496L, 1L << 29, "0.12");
    assertEquals(
        (long) (85_017_493_504L * 0.9) - 16_060_522_496L - (1L << 30), budget.cacheBytes());
    long left = 85_017_493_504L - 552_402_944L - (2L << 20) - (1L << 29);
    assertEquals(left - (long) (85_017_493_504L * 0.9), budget.leftBytes());
    assertEquals(Math.floor(left * 1000.0 / 85_017_493_504L) / 1000, budget.largestUtilization());
    assertTrue(budget.at(budget.largestUtilization()).leftBytes() >= 0);
    assertTrue(budget.at(budget.largestUtilization() + 0.001).leftBytes() < 0);
  }
}
