package org.allocsim.analysis.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.allocsim.analysis.serving.kvcache.radix.EvictionPolicy;
import org.allocsim.analysis.serving.traffic.Traffic;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.workloads.model.ServedModel;
import org.allocsim.workloads.model.ServedModels;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** SGLang's schedule, worked by hand and on random requests. */
class SglangEngineTest {
  private static final ServedModel MODEL = ServedModels.named("yi-6b").served(1, 2, 2);

  private static ServingResult serve(Traffic traffic, long tokens, int sequences, int stepTokens) {
    return serve(traffic, tokens, sequences, stepTokens, SglangSettings.USUAL);
  }

  private static ServingResult serve(
      Traffic traffic, long tokens, int sequences, int stepTokens, SglangSettings sglang) {
    ServingSettings settings =
        new ServingSettings(sequences, stepTokens, 4096, 16, 0, 65_536, Optional.empty(), sglang);
    CacheChoice choice = CacheChoice.of(CacheKind.SGLANG, VllmRelease.newest());
    return ServingComparison.run(
            traffic,
            MODEL,
            DeviceProfiles.defaultProfile(),
            settings,
            List.of(choice),
            _ -> tokens * MODEL.tokenBytes(),
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

  /** One step for the prompt, whose last token yields the first of the answer, then one each. */
  @Test
  void aPromptComesBeforeItsAnswer() {
    ServingResult result = serve(requests(20, 5), 4096, 4, 64);
    assertEquals(5, result.steps());
    assertEquals(5, result.outputTokens());
    assertEquals(1, result.served());
    assertEquals(0, result.memory().wastedBytes());
  }

  @Test
  void aLongPromptIsComputedInParts() {
    assertEquals(4, serve(requests(200, 1), 4096, 4, 64).steps());
  }

  /** Both prompts in the first step, where vLLM would compute the second beside an answer. */
  @Test
  void promptsDoNotWaitForAnswers() {
    ServingResult result = serve(requests(40, 10, 40, 10), 4096, 4, 64);
    assertEquals(2 + 9, result.steps(), "two steps for prompts, as one takes 64 tokens");
    assertEquals(2, result.mostRunning());
  }

  /**
   * A request asks for its prompt, its answer and a page: 52 tokens. Once the first runs, 31 tokens
   * are taken and 0.7 of the 19 that may follow are kept for it, 13.3: the second needs 97.
   */
  @Test
  void aRequestBeginsWhereItsAnswerFits() {
    ServingResult both = serve(requests(31, 20, 31, 20), 98, 4, 64);
    assertEquals(2, both.mostRunning());
    ServingResult one = serve(requests(31, 20, 31, 20), 97, 4, 64);
    assertEquals(1, one.mostRunning());
    assertEquals(0, one.preemptions());
  }

  /** What the file says of a shared start is found token by token. */
  @Test
  void aSharedStartIsFound() {
    Traffic.Builder traffic = new Traffic.Builder("test", 512);
    for (int request = 0; request < 2; request++) {
      traffic.add(request * 1_000_000_000_000L, 1000, 5);
      traffic.addBlock(7);
      traffic.addBlock(20 + request);
    }
    assertEquals(512, serve(traffic.build(), 8192, 4, 4096).hitTokens());
  }

  private static Traffic random(long seed, int count) {
    SplittableRandom random = new SplittableRandom(seed);
    Traffic.Builder traffic = new Traffic.Builder("test", 512);
    long nanos = 0;
    for (int i = 0; i < count; i++) {
      nanos += random.nextLong(1_000_000);
      int prompt = random.nextInt(1, 1500);
      traffic.add(nanos, prompt, random.nextInt(1, 300));
      int family = random.nextInt(5) * 10;
      for (int block = 0; block * 512 < prompt; block++) {
        traffic.addBlock(block < 2 ? family + block : 1000 + i * 10 + block);
      }
    }
    return traffic.build();
  }

  @ParameterizedTest
  @EnumSource(EvictionPolicy.class)
  void everyRequestGetsItsAnswerHoweverLittleRoomThereIs(EvictionPolicy policy) {
    long thrownOut = 0;
    for (long seed = 0; seed < 12; seed++) {
      Traffic traffic = random(seed, 60);
      int page = seed % 3 == 0 ? 16 : 1;
      SglangSettings sglang = new SglangSettings(page, policy, 0.01, null);
      ServingResult result = serve(traffic, 2500 + 300 * seed, 16, 512, sglang);
      long answers = 0;
      for (int request = 0; request < traffic.count(); request++) {
        answers += traffic.outputTokens(request);
      }
      assertEquals(60, result.served(), "seed " + seed);
      assertEquals(answers, result.outputTokens(), "seed " + seed);
      assertEquals(result, serve(traffic, 2500 + 300 * seed, 16, 512, sglang));
      thrownOut += result.preemptions();
    }
    assertTrue(thrownOut > 0, "answers of which little is expected meet their limit");
  }

  /** 0.7, less (0.7 − 0.098) / 600 a step, down to 0.098. */
  @ParameterizedTest
  @CsvSource({"1, 0, 0.7", "1, 300, 0.399", "1, 600, 0.098", "1, 9000, 0.098", "2, 0, 1"})
  void whatAnswersMayNeedFalls(double conservativeness, int steps, double expected) {
    NewTokenRatio ratio = new NewTokenRatio(conservativeness);
    for (int step = 0; step < steps; step++) {
      ratio.decay();
    }
    assertEquals(expected, ratio.now(), 1e-9);
    ratio.rise(30, 99, 2);
    assertEquals(0.7, ratio.now());
    ratio.rise(90, 99, 2);
    assertEquals(1, ratio.now());
    ratio.reset();
    assertEquals(Math.min(1, 0.7 * conservativeness), ratio.now());
  }
}
