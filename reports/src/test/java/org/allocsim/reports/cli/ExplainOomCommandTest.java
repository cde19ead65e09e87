package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.allocsim.analysis.oom.OomVerdict;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExplainOomCommandTest {
  private static final String FULL =
      "CUDA out of memory. Tried to allocate 1.71 GiB (GPU 0; 6.00 GiB total capacity; 3.49 GiB"
          + " already allocated; 1.04 GiB free; 3.50 GiB reserved in total by PyTorch) If reserved"
          + " memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation."
          + "  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF";

  private static final String HINT =
      " If reserved but unallocated memory is large try setting"
          + " PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See"
          + " documentation for Memory Management "
          + " (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)";

  private static final String FRAGMENTED =
      "CUDA out of memory. Tried to allocate 138.00 MiB. GPU 1 has a total capacity of 79.15 GiB of"
          + " which 2.19 MiB is free. Including non-PyTorch memory, this process has 79.12 GiB"
          + " memory in use. Of the allocated memory 71.57 GiB is allocated by PyTorch, with 39.77"
          + " MiB allocated in private pools (e.g., CUDA Graphs), and 611.60 MiB is reserved by"
          + " PyTorch but unallocated."
          + HINT;

  @TempDir private Path folder;

  private CommandRun explain(String log, Object... options) throws IOException {
    Path file = Files.writeString(folder.resolve("train.log"), log);
    Object[] arguments = new Object[options.length + 2];
    arguments[0] = "explain-oom";
    arguments[1] = file;
    System.arraycopy(options, 0, arguments, 2, options.length);
    return CommandRun.of(arguments);
  }

  private static String sentences(
      String request, String capacity, String free, String between, String allocated, String rest) {
    return "CUDA out of memory. Tried to allocate "
        + request
        + ". GPU 0 has a total capacity of "
        + capacity
        + " of which "
        + free
        + " is free. "
        + between
        + "Of the allocated memory "
        + allocated
        + " is allocated by PyTorch, "
        + rest
        + " is reserved by PyTorch but unallocated."
        + HINT;
  }

  @Test
  void theVerdictComesFirstAndTheArithmeticBehindIt() throws IOException {
    CommandRun run = explain("step 1\nRuntimeError: " + FULL + "\n");
    assertEquals(11, run.exitCode(), run.err());
    assertEquals("", run.err());
    Golden.assertGolden(
        "explain-oom-full.txt", run.out().replace(folder.resolve("train.log").toString(), "LOG"));
  }

  @Test
  void severalMessagesAreExplainedAndCounted() throws IOException {
    String log =
        "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\n"
            + "[rank1]: torch.OutOfMemoryError: "
            + FRAGMENTED
            + "\n[rank1]: torch.OutOfMemoryError: "
            + FRAGMENTED
            + "\n[rank0]: "
            + FULL
            + "\nRuntimeError: CUDA error: out of memory\n";
    CommandRun run = explain(log);
    assertEquals(10, run.exitCode(), "the first message decides");
    Golden.assertGolden(
        "explain-oom-ranks.txt", run.out().replace(folder.resolve("train.log").toString(), "LOG"));
    CommandRun one = explain(log, "--show", 1);
    assertFalse(one.out().contains("no allocator setting"), one.out());
    assertTrue(one.out().contains("1 more distinct message"), one.out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"-", ""})
  void standardInputIsReadWithoutAFile(String name) {
    InputStream before = System.in;
    try {
      System.setIn(new ByteArrayInputStream(FULL.getBytes(StandardCharsets.UTF_8)));
      CommandRun run =
          name.isEmpty() ? CommandRun.of("explain-oom") : CommandRun.of("explain-oom", name);
      assertEquals(11, run.exitCode());
      assertTrue(
          run.out()
              .startsWith(
                  "FULL: no allocator setting can fix this: 675.84 MiB short even with"
                      + " perfect packing\n\nmessage  standard input, line 1, GPU 0; "),
          run.out());
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void everyVerdictHasItsExitCode() throws IOException {
    String cached = "and 0.20 GiB";
    assertExit(10, "FRAGMENTED", FRAGMENTED);
    assertExit(11, "FULL", FULL);
    assertExit(
        12,
        "CAPPED",
        sentences("1.00 GiB", "80.00 GiB", "70.00 GiB", "4.00 GiB allowed; ", "3.50 GiB", cached));
    assertExit(
        13,
        "POOL",
        sentences(
            "2.00 GiB",
            "8.00 GiB",
            "0.50 GiB",
            "",
            "7.00 GiB",
            "with 3.00 GiB allocated in private pools (e.g., CUDA Graphs), " + cached));
    assertExit(
        14, "NOT-ALLOCATOR", sentences("1.00 GiB", "8.00 GiB", "3.50 GiB", "", "3.00 GiB", cached));
    assertExit(
        15, "SPILLED", sentences("1.00 GiB", "8.00 GiB", "0 bytes", "", "13.00 GiB", cached));
    assertExit(
        16, "IMPOSSIBLE", sentences("9.00 GiB", "8.00 GiB", "0.50 GiB", "", "3.00 GiB", cached));
    assertExit(
        18, "ELSEWHERE", sentences("1.00 GiB", "8.00 GiB", "0.10 GiB", "", "3.00 GiB", cached));
    assertExit(19, "HOST", "Out of memory: Killed process 7 (python)");
    assertExit(17, "UNKNOWN", FULL.substring(0, FULL.indexOf("3.49 GiB")));
  }

  private void assertExit(int exitCode, String word, String message) throws IOException {
    CommandRun run = explain(message);
    assertEquals(exitCode, run.exitCode(), run.out() + run.err());
    assertTrue(run.out().startsWith(word + ": "), run.out());
    assertTrue(
        CommandRun.of("explain-oom", "--help").out().contains("\n  " + exitCode + "   " + word),
        "the help lists it");
  }

  @Test
  void exitCodesDifferAndLeaveTheCommonOnesAlone() {
    Set<Integer> codes =
        Arrays.stream(OomVerdict.values()).map(ExitCodes::of).collect(Collectors.toSet());
    assertEquals(OomVerdict.values().length, codes.size());
    assertTrue(codes.stream().allMatch(code -> code >= 10), codes.toString());
  }

  @Test
  void jsonHoldsTheSameAsTheText() throws IOException {
    CommandRun run = explain(FULL, "--json", "-");
    assertEquals(11, run.exitCode());
    Golden.assertGolden(
        "explain-oom-full.json", run.out().replace(folder.resolve("train.log").toString(), "LOG"));
    Path json = folder.resolve("verdict.json");
    CommandRun both = explain(FULL, "--json", json);
    assertTrue(both.out().startsWith("FULL: "));
    assertEquals(run.out(), Files.readString(json));
  }

  @Test
  void theSettingsGivenAreNotAdvised() throws IOException {
    CommandRun run = explain(FRAGMENTED, "--conf", "expandable_segments:True");
    assertTrue(run.out().contains("it is on already (by --conf)"), run.out());
    assertFalse(run.out().contains("- PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 | nothing here | no out-of-memory message and no dump of a BFC allocator in 1 line;",
        "1 | '' | is empty; give a log or message",
        "20 | CUDA error: out of memory | line 1 says that memory ran out, but without numbers",
        "20 | HIP error: out of memory | line 1 says that memory ran out, but without numbers",
      })
  void aLogWithoutAMessageFailsInOneSentence(int exitCode, String log, String words)
      throws IOException {
    CommandRun run = explain(log, "--json", folder.resolve("out.json"));
    assertEquals(exitCode, run.exitCode());
    assertEquals("", run.out());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains("train.log: " + words), run.err());
    assertFalse(Files.exists(folder.resolve("out.json")));
  }

  @Test
  void toShowNothingIsWrongUsage() throws IOException {
    CommandRun run = explain(FULL, "--show", 0);
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("must be at least 1"), run.err());
  }

  @Test
  void theLogIsNotOverwritten() throws IOException {
    CommandRun run = explain(FULL, "--json", folder.resolve("train.log"));
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertEquals(FULL, Files.readString(folder.resolve("train.log")));
  }

  @Test
  void theLogOfAnEngineThatStartedIsAnsweredByBothCommandsAlike() throws IOException {
    Path log =
        Files.writeString(
            folder.resolve("server.log"),
            """
            INFO 04-28 10:00:50 [gpu_worker.py:180] Available KV cache memory: 5.11 GiB
            INFO 04-28 10:00:50 [kv_cache_utils.py:634] GPU KV cache size: 41,856 tokens
            INFO 04-28 10:00:50 Maximum concurrency for 8,192 tokens per request: 5.11x
            """);
    CommandRun explained = CommandRun.of("explain-oom", log);
    CommandRun diagnosed = CommandRun.of("diagnose", log);
    assertEquals(ExitCodes.DONE, explained.exitCode(), explained.err());
    assertEquals(ExitCodes.DONE, diagnosed.exitCode(), diagnosed.err());
    assertTrue(
        explained
            .out()
            .startsWith("No failure: the KV cache of vLLM holds 41 856 tokens in 5.11 GiB"),
        explained.out());
    assertTrue(explained.out().contains("--max-num-seqs 5:"), explained.out());
    assertEquals(explained.out(), diagnosed.out());
  }

  @Test
  void theLogOfAnEngineWithoutRoomForOneSequenceFailsTheCommand() throws IOException {
    CommandRun run =
        explain(
            """
            INFO Available KV cache memory: -0.56 GiB
            INFO model weights take 20.51GiB
            """);
    assertEquals(ExitCodes.of(OomVerdict.CAPPED), run.exitCode(), run.err());
    assertTrue(
        run.out().startsWith("vLLM has no memory left for its KV cache: 579 MiB short"), run.out());
  }
}
