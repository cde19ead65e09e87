package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class ServeCommandTest {
  private static final Path SAMPLE = Path.of("../samples/chat_requests.jsonl");

  @TempDir private Path folder;

  private static JsonNode json(Object... more) {
    Object[] arguments = new Object[more.length + 6];
    arguments[0] = "serve";
    arguments[1] = SAMPLE;
    arguments[2] = "--model";
    arguments[3] = "gemma-2-9b";
    arguments[4] = "--json";
    arguments[5] = "-";
    System.arraycopy(more, 0, arguments, 6, more.length);
    CommandRun run = CommandRun.of(arguments);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    return new ObjectMapper().readTree(run.out());
  }

  @Test
  void theCachesThatAreNamedAreTriedInTheirOrder() {
    JsonNode caches = json("--cache", "kvcached,paged").get("caches");
    assertEquals("kvcached", caches.get(0).get("cache").asString());
    assertEquals("paged", caches.get(1).get("cache").asString());
    assertEquals(2, caches.size());
  }

  @Test
  void releasesAreComparedInOneAnswer() {
    JsonNode caches =
        json("--device", "rtx-4090", "--cache", "paged@0.18,paged@v0.28,paged").get("caches");
    assertEquals("paged@0.18", caches.get(0).get("cache").asString());
    assertEquals("paged@0.28", caches.get(1).get("cache").asString());
    assertEquals("paged", caches.get(2).get("cache").asString());
    long first = caches.get(0).get("output_tokens").asLong();
    assertEquals(first, caches.get(1).get("output_tokens").asLong());
    assertEquals(first, caches.get(2).get("output_tokens").asLong());
    JsonNode older =
        json("--device", "rtx-4090", "--cache", "paged", "--vllm-version", "0.28").get("caches");
    assertEquals(
        caches.get(1).get("prefix_hit_ratio"), older.get(0).get("prefix_hit_ratio"), "same rules");
  }

  @Test
  void theReleaseThatKeepsFewPrefixesFindsOthers() {
    JsonNode caches =
        json("--device", "rtx-4090", "--cache", "paged@0.28,paged@0.29").get("caches");
    assertNotEquals(caches.get(0).get("kept_prefix_ratio"), caches.get(1).get("kept_prefix_ratio"));
  }

  @Test
  void sglangServesTheSameAnswers() {
    JsonNode caches =
        json(
                "--device",
                "rtx-4090",
                "--cache",
                "paged,sglang",
                "--sglang-page-size",
                16,
                "--radix-eviction-policy",
                "slru")
            .get("caches");
    assertEquals("sglang", caches.get(1).get("cache").asString());
    assertEquals(caches.get(0).get("output_tokens"), caches.get(1).get("output_tokens"));
    assertTrue(caches.get(1).get("prefix_hit_ratio").asDouble() > 0);
  }

  @Test
  void aStaticFractionOfTheMemoryIsSglangsPool() {
    JsonNode answer =
        json("--cache", "sglang", "--mem-fraction-static", "0.5", "--other-processes", "2GiB");
    JsonNode budget = answer.get("budget");
    double free =
        budget.get("total_bytes").asDouble() - budget.get("context_bytes").asDouble() - (2L << 30);
    long pool = (long) (free * 0.5) - budget.get("weight_bytes").asLong();
    long token = answer.get("token_bytes").asLong();
    assertEquals(pool / token * token, answer.at("/caches/0/peak_mapped_bytes").asLong());
    CommandRun none =
        CommandRun.of(
            "serve",
            SAMPLE,
            "--model",
            "gemma-2-9b",
            "--cache",
            "sglang",
            "--mem-fraction-static",
            "0.1");
    assertEquals(ExitCodes.FAILED, none.exitCode());
    assertTrue(none.err().contains("--mem-fraction-static 0.1 of"), none.err());
    assertEquals(1, none.err().lines().count(), none.err());
  }

  @Test
  void draftsAreNotForSglang() {
    Object[] draft = {"--speculative-model", "eagle", "--acceptance-rate", "0.8", "--first", 1};
    Object[] named = Arrays.copyOf(draft, draft.length + 2);
    named[draft.length] = "--cache";
    named[draft.length + 1] = "sglang";
    assertEquals(4, json(draft).get("caches").size());
    Object[] line = {"serve", SAMPLE, "--model", "gemma-2-9b"};
    Object[] all = Arrays.copyOf(line, line.length + named.length);
    System.arraycopy(named, 0, all, line.length, named.length);
    CommandRun run = CommandRun.of(all);
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("--cache sglang does not simulate"), run.err());
  }

  @Test
  void twiceTheRequestsGetTwiceTheAnswers() {
    long once = json("--cache", "paged").at("/caches/0/output_tokens").asLong();
    long twice = json("--cache", "paged", "--repeat", 2).at("/caches/0/output_tokens").asLong();
    assertEquals(2 * once, twice);
  }

  @Test
  void aRunSaysTheSameEachTime() {
    JsonNode first = json("--device", "rtx-4090").get("caches");
    assertEquals(first, json("--device", "rtx-4090").get("caches"));
  }

  @Test
  void aShareThatLeavesNoRoomForGraphsIsACheckThatDoesNotHold() {
    CommandRun run =
        CommandRun.of(
            "serve",
            SAMPLE,
            "--model",
            "gemma-2-9b",
            "--gpu-memory-utilization",
            "0.99",
            "--vllm-version",
            "0.12",
            "--first",
            5);
    assertEquals(ExitCodes.CHECK_DID_NOT_HOLD, run.exitCode(), run.err());
    assertTrue(run.out().contains("the GPU runs out of memory"), run.out());
    assertTrue(run.out().contains("leaves room for context and graphs is 0.987"), run.out());
  }

  @Test
  void aStartSaysWhatElseIsGuessed() {
    JsonNode budget =
        json("--device", "rtx-4090", "--start", "program:engine(model=gemma-2-9b;device=rtx-4090)")
            .get("budget");
    assertTrue(budget.get("outside_cache_bytes").asLong() > budget.get("weight_bytes").asLong());
    JsonNode guessed = json("--device", "rtx-4090").get("budget");
    assertEquals(
        guessed.get("weight_bytes").asDouble(), budget.get("weight_bytes").asDouble(), 64 << 20);
  }

  @Test
  void aStartThatShowsNoEngineIsSaid() {
    CommandRun run =
        CommandRun.of("serve", SAMPLE, "--model", "yi-6b", "--start", "program:mlp(iterations=1)");
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().contains("no request comes from load_model"), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  @Test
  void otherSharesAreTriedInTheirOrderAndTheLargestSafeOneToo() {
    JsonNode shares =
        json("--device", "rtx-4090", "--cache", "paged", "--utilizations", "0.92,0.85")
            .get("utilizations");
    assertEquals(3, shares.size());
    assertEquals(0.85, shares.get(0).get("gpu_memory_utilization_ratio").asDouble());
    assertEquals(0.92, shares.get(1).get("gpu_memory_utilization_ratio").asDouble());
    assertTrue(shares.get(2).get("headroom_bytes").asLong() >= 0);
    assertTrue(
        shares.get(0).get("cache_bytes").asLong() < shares.get(2).get("cache_bytes").asLong());
  }

  @Test
  void aModelThatIsTooLargeIsSaid() {
    CommandRun run = CommandRun.of("serve", SAMPLE, "--model", "llama-3.1-70b");
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().contains("at any --gpu-memory-utilization"), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  @Test
  void aShareThatIsTooSmallIsSaid() {
    CommandRun run =
        CommandRun.of(
            "serve", SAMPLE, "--model", "llama-3.1-8b", "--gpu-memory-utilization", "0.1");
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().contains("leaves no memory for the KV cache"), run.err());
    assertTrue(run.err().contains("use a larger --gpu-memory-utilization"), run.err());
  }

  @Test
  void aBadLineIsNamed() throws IOException {
    Path file =
        Files.writeString(folder.resolve("x.csv"), "TIMESTAMP,ContextTokens,GeneratedTokens\n?");
    CommandRun run = CommandRun.of("serve", file, "--model", "yi-6b");
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().contains("line 2: the line has 1 fields"), run.err());
  }

  private static JsonNode budget(Object... more) {
    Object[] arguments = new Object[more.length + 6];
    arguments[0] = "--cache";
    arguments[1] = "paged";
    arguments[2] = "--first";
    arguments[3] = 3;
    arguments[4] = "--graphs";
    arguments[5] = "1GiB";
    System.arraycopy(more, 0, arguments, 6, more.length);
    return json(arguments).get("budget");
  }

  @Test
  void laterReleasesTakeGraphsOutOfTheShare() {
    JsonNode later = budget("--vllm-version", "0.21.1", "--gpu-memory-utilization", "0.9");
    JsonNode before = budget("--vllm-version", "0.20");
    assertEquals(
        before.get("cache_bytes").asLong() - (1L << 30), later.get("cache_bytes").asLong());
    assertTrue(later.get("graphs_in_utilization").asBoolean());
    assertEquals("0.20", before.get("vllm_version").asString());
    assertEquals(0.9, before.get("gpu_memory_utilization_ratio").asDouble());
  }

  @Test
  void theNewestReleaseIsTakenWithItsShare() {
    JsonNode budget = budget();
    assertEquals(0.92, budget.get("gpu_memory_utilization_ratio").asDouble());
    assertEquals(budget("--vllm-version", "0.29"), budget);
  }

  @Test
  void releasesBefore091TakeTheContextAndOthersOutOfTheShare() {
    JsonNode later = budget("--vllm-version", "0.9.1", "--other-processes", "5GiB");
    JsonNode before = budget("--vllm-version", "0.9.0.1", "--other-processes", "5GiB");
    assertEquals(
        later.get("cache_bytes").asLong() - (5L << 30) - later.get("context_bytes").asLong(),
        before.get("cache_bytes").asLong());
    assertTrue(before.get("whole_gpu_in_utilization").asBoolean());
    String out =
        CommandRun.of("serve", SAMPLE, "--model", "gemma-2-9b", "--vllm-version", "0.8.5").out();
    assertTrue(out.contains("the KV cache, gpu_memory_utilization covers weights"), out);
  }

  @Test
  void moreThanIsFreeIsRefused() {
    CommandRun run =
        CommandRun.of(
            "serve", SAMPLE, "--model", "gemma-2-9b", "--other-processes", "20GiB", "--first", 3);
    assertEquals(ExitCodes.CHECK_DID_NOT_HOLD, run.exitCode(), run.err());
    assertTrue(run.out().contains("the engine refuses to start: it needs 72.84 GiB"), run.out());
  }

  @Test
  void aCapacityIsAGpuOfThatSize() {
    JsonNode budget = budget("--capacity", "40GiB");
    assertEquals(40L << 30, budget.get("total_bytes").asLong());
    assertEquals(0, budget.get("context_bytes").asLong());
    CommandRun small =
        CommandRun.of("serve", SAMPLE, "--model", "gemma-2-9b", "--capacity", "16GiB");
    assertEquals(ExitCodes.FAILED, small.exitCode());
    assertTrue(small.err().contains("use a larger GPU"), small.err());
    CommandRun both =
        CommandRun.of(
            "serve", SAMPLE, "--model", "yi-6b", "--capacity", "16GiB", "--device", "rtx-4090");
    assertEquals(ExitCodes.USAGE, both.exitCode());
    assertTrue(both.err().contains("mutually exclusive"), both.err());
  }

  @Test
  void adaptersTakeTheirMemoryFromKeysAndValues() {
    JsonNode plain = json("--cache", "paged");
    JsonNode adapted = json("--cache", "paged", "--max-loras", 4, "--max-lora-rank", 64);
    long bytes = adapted.get("adapter_bytes").asLong();
    // Rank 16 of 42 layers has 54 018 048 numbers; four of four times the rank, 2 bytes each.
    assertEquals(54_018_048L * 4 * 4 * 2, bytes);
    assertEquals(
        plain.at("/budget/cache_bytes").asLong() - bytes,
        adapted.at("/budget/cache_bytes").asLong());
  }

  @Test
  void aDraftTakesWeightsAndAnswersInFewerSteps() {
    JsonNode plain = json("--cache", "paged", "--first", 1);
    JsonNode guessed =
        json(
            "--cache",
            "paged",
            "--first",
            1,
            "--speculative-model",
            "eagle",
            "--acceptance-rate",
            "0.8");
    assertEquals(
        plain.at("/budget/cache_bytes").asLong() - guessed.get("draft_bytes").asLong(),
        guessed.at("/budget/cache_bytes").asLong());
    assertTrue(guessed.at("/caches/0/steps").asLong() < plain.at("/caches/0/steps").asLong() / 2);
    assertEquals(
        plain.at("/caches/0/output_tokens").asLong(),
        guessed.at("/caches/0/output_tokens").asLong());
  }

  @ParameterizedTest
  @CsvSource({
    "--vllm-version, new",
    "--capacity, 0",
    "--capacity, 16GB?",
    "--max-loras, -1",
    "--max-lora-rank, 0",
    "--lora-target-modules, c_attn",
    "--speculative-model, eagle",
    "--acceptance-rate, 0.5",
    "--num-speculative-tokens, 0",
    "--tensor-parallel-size, 3",
    "--page-size, 3MiB",
    "--cache, slab",
    "--cache, paged@new",
    "--cache, jenga@0.18",
    "--sglang-page-size, 0",
    "--radix-eviction-policy, lfru",
    "--schedule-conservativeness, 0",
    "--mem-fraction-static, 2",
    "--speed, 0",
    "--other-processes, 9PiB",
    "--first, 0"
  })
  void whatAnOptionCannotBeIsOneSentence(String option, String value) {
    CommandRun run = CommandRun.of("serve", "absent.csv", "--model", "yi-6b", option, value);
    assertEquals(ExitCodes.USAGE, run.exitCode(), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  @Test
  void aModelWithStatesIsServedWithPagedOnly() {
    CommandRun all =
        CommandRun.of(
            "serve",
            SAMPLE,
            "--model",
            "qwen3-next-80b",
            "--tensor-parallel-size",
            "4",
            "--json",
            "-");
    assertEquals(ExitCodes.DONE, all.exitCode(), all.err());
    JsonNode answer = new ObjectMapper().readTree(all.out());
    assertEquals(1, answer.get("caches").size());
    assertEquals(272, answer.get("block_size").asInt());
    assertEquals(36 * (3 * 2048 * 2 + 8 * 128 * 128 * 2), answer.get("state_bytes").asLong());
    CommandRun other =
        CommandRun.of("serve", SAMPLE, "--model", "qwen3-next-80b", "--cache", "paged,sglang");
    assertEquals(ExitCodes.USAGE, other.exitCode());
    assertTrue(other.err().contains("--cache sglang is not simulated"), other.err());
  }
}
