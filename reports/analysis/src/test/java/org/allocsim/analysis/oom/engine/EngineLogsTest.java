package org.allocsim.analysis.oom.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import org.allocsim.analysis.oom.OomExplanation;
import org.allocsim.analysis.oom.OomLog;
import org.allocsim.analysis.oom.OomVerdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Logs made from the format strings of the engines' sources, five and more of each. */
class EngineLogsTest {
  private static OomLog.Contents read(String name) {
    try (InputStream in =
        Objects.requireNonNull(EngineLogsTest.class.getResourceAsStream(name + ".log"), name)) {
      return OomLog.read(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<EngineChange> changes(String name) {
    OomLog.Contents contents = read(name);
    return contents.report().isPresent()
        ? contents.report().get().changes()
        : explanation(name).changes();
  }

  private static OomExplanation explanation(String name) {
    OomLog.Contents contents = read(name);
    return contents.explain(contents.settings()).getFirst();
  }

  private static double figure(String name, EngineFigure figure) {
    return read(name).report().orElseThrow().figures().of(figure).orElseThrow().value();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '\'',
      value = {
        "vllm-0.4-length, --max-model-len 6208",
        "vllm-0.6-no-cache, --gpu-memory-utilization above 0.924; --max-num-batched-tokens lower",
        "vllm-0.8-length, --max-model-len 41856",
        "vllm-0.10-free, --gpu-memory-utilization 0.78",
        "vllm-0.11-ranks, --gpu-memory-utilization 0.933; --max-model-len 36032",
        "vllm-0.21-started, --gpu-memory-utilization 0.99; --max-num-seqs 27",
        "sglang-0.3-no-cache, --mem-fraction-static 0.84",
        "sglang-0.4-started, --mem-fraction-static 0.87; --max-running-requests 3",
        "sglang-0.5-ranks, --mem-fraction-static 0.77",
        "sglang-2026-no-cache, --mem-fraction-static 0.88",
        "sglang-2026-capture, --mem-fraction-static 0.892; --cuda-graph-max-bs-decode 128",
        "tensorrt-llm-0.9-started, --max_batch_size 8",
        "tensorrt-llm-1.0-length,"
            + " --kv_cache_free_gpu_memory_fraction 0.66; --max_seq_len 61152",
        "tensorrt-llm-1.1-no-sequence, ''",
        "tensorrt-llm-1.2-ranks, --max_batch_size 7",
        "tensorrt-llm-1.2-beside, --kv_cache_free_gpu_memory_fraction 0.93",
        "llama-cpp-weights, -ngl 26",
        "llama-cpp-cache, -c 16128",
        "llama-cpp-compute, -ub 256",
        "llama-cpp-partial, -ngl 61",
        "llama-cpp-two-gpus, -c 24320",
        "llama-cpp-fitted, -c 131072",
        "ollama-0.5-partial, OLLAMA_CONTEXT_LENGTH 19456; OLLAMA_KV_CACHE_TYPE q8_0",
        "ollama-0.5-full, ''",
        "ollama-0.12-layout, num_gpu 45",
        "ollama-0.12-two-gpus, ''",
        "ollama-2026-cache, OLLAMA_CONTEXT_LENGTH 32512",
      })
  void eachIsAnsweredWithTheOptionAndTheAmount(String name, String expected) {
    assertEquals(
        expected,
        String.join(
            "; ", changes(name).stream().map(each -> each.option() + " " + each.value()).toList()));
  }

  /** {@code request_memory}: what is asked for is the share of all, and must be free. */
  @Test
  void theShareOfVllmThatIsNamedIsTheLargestThatStarts() {
    assertTrue(23.575 * 0.78 <= 18.395, "0.78 starts, however the log rounds");
    assertFalse(23.565 * 0.79 <= 18.405, "0.79 does not");
    assertTrue(79.215 * 0.99 <= 78.655, "0.99 starts, too");
    assertFalse(79.205 * 1.0 <= 78.665, "1.00 does not");
  }

  /** {@code kv = share * total - others}: with the share that is named, one sequence fits. */
  @Test
  void aRaisedShareOfVllmHoldsTheCacheThatIsMissing() {
    double smallestGpu = (2.195 + 16.46015) / 0.85;
    assertTrue((0.933 - 0.85) * smallestGpu >= 4.005 - 2.195);
    assertFalse((0.931 - 0.85) * smallestGpu >= 4.005 - 2.195);
    // Nothing is left for the cache, however the log rounds, below the share that is named.
    assertTrue((0.924 - 0.9) * 23.635 >= 0.565 && (0.922 - 0.9) * 23.645 < 0.555);
  }

  /** {@code _profile_available_bytes}: {@code available - before * (1 - fraction) > 0}. */
  @Test
  void theStaticShareOfSglangIsTheSmallestWithACache() {
    assertTrue(3.905 - 23.205 * (1 - 0.84) > 0 && 3.915 - 23.195 * (1 - 0.83) < 0);
    // The rank that has least decides: with the figures of the other, 0.76 would do.
    assertTrue(11.095 - 46.905 * (1 - 0.77) > 0 && 11.105 - 46.895 * (1 - 0.76) < 0);
    assertTrue(11.595 - 46.905 * (1 - 0.76) > 0);
    assertTrue(9.995 - 78.505 * (1 - 0.88) > 0 && 10.005 - 78.495 * (1 - 0.87) < 0);
    // The server would be ready with at least the 8 GB of the guide.
    assertTrue(11.495 - (0.87 - 0.83) * 78.585 >= 8);
    assertFalse(11.505 - (0.88 - 0.83) * 78.575 >= 8);
  }

  /** {@code (total - peak) * fraction} holds the blocks. */
  @Test
  void theFractionOfTensorRtLlmHoldsTheSequenceThatWasCut() {
    double bytesOfAToken = (79.10 - 70.70) * 0x1p30 * 0.5 / 61_152;
    assertTrue((79.10 - 70.70) * 0x1p30 * 0.66 >= 80_000 * bytesOfAToken);
    assertFalse((79.10 - 70.70) * 0x1p30 * 0.65 >= 80_000 * bytesOfAToken);
  }

  @Test
  void layersAndContextsOfLlamaCppFitWithWhatTheLogPrints() {
    assertTrue(9000 / 30.0 * 61 + 1500 / 30.0 * 61 + 500 <= 22_000);
    assertFalse(9000 / 30.0 * 62 + 1500 / 30.0 * 62 + 500 <= 22_000);
    // Both caches of a model with two kinds of layers count, and the GPU that failed decides.
    assertEquals(
        3500 * 0x1p20,
        read("llama-cpp-compute")
            .engine()
            .figures("")
            .orElseThrow()
            .of(EngineFigure.KV_CACHE)
            .orElseThrow()
            .value());
    assertTrue(4000 * 24_320 / 32_768.0 <= 11_000 - 8000);
    assertFalse(4000 * 24_832 / 32_768.0 <= 11_000 - 8000);
    // 8.5 of 7.0 GiB, of which the cache takes 4.0 for 32 768 tokens.
    assertTrue(8.55 - 3.95 * (1 - 19_456 / 32_768.0) <= 6.96);
    assertFalse(8.55 - 3.95 * (1 - 19_968 / 32_768.0) <= 6.95);
  }

  @Test
  void aBufferThatCannotFitIsDecided() {
    OomExplanation why = explanation("llama-cpp-two-gpus");
    assertEquals(OomVerdict.FULL, why.verdict());
    assertEquals(
        "a buffer of 3.91 GiB does not fit into the 2.93 GiB that the log leaves free on the GPU",
        why.headline());
    assertTrue(why.isCertain());
  }

  @Test
  void theScarcestRankIsNamed() {
    assertEquals("TP1", read("sglang-0.5-ranks").engine().figures("").orElseThrow().rank());
    assertTrue(
        read("tensorrt-llm-1.2-ranks")
            .report()
            .orElseThrow()
            .headline()
            .endsWith("RANK 1 has the least of 2"));
  }

  @Test
  void aStartedServerHasNoFailureAndItsFiguresAreThoseOfTheLog() {
    EngineReport report = read("vllm-0.21-started").report().orElseThrow();
    assertTrue(report.fits());
    assertEquals(
        "no failure: the KV cache of vLLM holds 449 744 tokens in 54.90 GiB", report.headline());
    assertEquals(16_384, figure("vllm-0.21-started", EngineFigure.LENGTH));
    assertEquals(0.92, figure("vllm-0.21-started", EngineFigure.SHARE));
    assertEquals(EngineLog.Generation.NEWER, report.figures().generation());
    assertFalse(read("tensorrt-llm-1.0-length").report().orElseThrow().fits());
  }
}
