package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class DiagnoseCommandTest {
  private static final Path RECORDING = Path.of("samples/train_gpt.pickle.xz");
  private static final Path LOG = Path.of("samples/train_gpt.log");
  private static final long GIB = 1L << 30;

  @TempDir private Path folder;

  private static JsonNode json(int exitCode, Object... options) {
    CommandRun run =
        CommandRun.of(
            Stream.concat(
                    Stream.of("diagnose"),
                    Stream.concat(Arrays.stream(options), Stream.of("--json", "-")))
                .toArray());
    assertEquals(exitCode, run.exitCode(), run.err());
    return new ObjectMapper().readTree(run.out());
  }

  @Test
  void aRecordingShowsTheLineThatAskedAndTheLinesThatHoldAllAllocatedMemory() {
    JsonNode program = json(ExitCodes.DONE, RECORDING).get("program");
    assertTrue(
        program.get("first_failed_request_line").asString().endsWith("train_gpt.py:63 loss_of"));
    assertTrue(program.get("ends_with_failure").asBoolean());
    long sum = 0;
    long last = Long.MAX_VALUE;
    for (JsonNode line : program.get("lines")) {
      long bytes = line.get("allocated_bytes").asLong();
      assertTrue(bytes <= last, "the largest first");
      assertEquals("program", line.get("kind").asString(), line.toString());
      last = bytes;
      sum += bytes;
    }
    assertTrue(sum > 0 && sum <= program.get("allocated_bytes").asLong());
    assertTrue(json(ExitCodes.DONE, RECORDING).get("log").isNull());
  }

  @Test
  void aProfileIsToldWhoSaysWhyItsGpuIsIdle() throws IOException {
    Path profile =
        Files.writeString(
            folder.resolve("trace.json"),
            """
            {"traceEvents": [
            {"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": 1.0, "args": {"Device Type": 1,
             "Device Id": 0, "Addr": 4096, "Bytes": 1024, "Total Allocated": 1024}}]}
            """);
    assertTrue(
        CommandRun.of("diagnose", profile)
            .out()
            .replaceAll("\\s+", " ")
            .contains("'allocsim idle "));
    assertFalse(CommandRun.of("diagnose", RECORDING).out().contains("allocsim idle"));
  }

  /** The same script finishes under expandable segments; under what ranks first, copies fail. */
  @Test
  void theSettingIsTheOneUnderWhichTheFewestCopiesFail() {
    JsonNode answer = json(ExitCodes.DONE, RECORDING);
    JsonNode program = answer.get("program");
    assertEquals("expandable_segments:True", program.get("best_conf").asString());
    assertTrue(program.get("best_passes").asBoolean());
    assertEquals(50, program.get("copies").asInt());
    assertEquals(0, program.get("copies_failed").asInt());
    assertEquals(
        program.get("limit_bytes").asLong(),
        program.get("headroom_bytes").asLong() + best(program).get("peak_reserved_bytes").asLong());
    assertEquals(program.get("best_conf"), program.get("settings").get(0).get("conf"));
    String first = program.get("settings").get(1).get("conf").asString();
    CommandRun perturbed =
        CommandRun.of(
            "perturb",
            RECORDING,
            "--conf",
            first,
            "--swap-adjacent",
            "--resize=2%",
            "--runs=50",
            "--json",
            "-");
    int failed = new ObjectMapper().readTree(perturbed.out()).get("failed_runs").asInt();
    assertTrue(failed > 0, perturbed.err());
    String details = answer.get("verdict").get("details").toString();
    assertTrue(
        details.contains(first + " does best on the unchanged program, with at most "), details);
    assertTrue(details.contains(failed + " of 50 perturbed copies fail with it."), details);
  }

  private static JsonNode best(JsonNode program) {
    for (JsonNode setting : program.get("settings")) {
      if (setting.get("conf").asString().equals(program.get("best_conf").asString())) {
        return setting;
      }
    }
    throw new AssertionError("the best setting was tried");
  }

  @Test
  void whereNoSettingHelpsItSaysHowMuchIsMissingAndThatSuffices() {
    JsonNode program =
        json(ExitCodes.CHECK_DID_NOT_HOLD, RECORDING, "--capacity", "4GiB").get("program");
    long missingBytes = program.get("missing_bytes").asLong();
    assertTrue(missingBytes > 0);
    assertFalse(program.get("best_passes").asBoolean());
    long enoughBytes = 4 * GIB + missingBytes;
    JsonNode enough = json(ExitCodes.DONE, RECORDING, "--capacity", enoughBytes).get("program");
    assertTrue(enough.get("best_passes").asBoolean());
    JsonNode less =
        json(ExitCodes.CHECK_DID_NOT_HOLD, RECORDING, "--capacity", enoughBytes - GIB)
            .get("program");
    assertFalse(less.get("best_passes").asBoolean());
  }

  @Test
  void aLogAloneNamesItsLineAndExitsAsExplainOomDoes() {
    CommandRun run = CommandRun.of("diagnose", LOG);
    assertEquals(CommandRun.of("explain-oom", LOG).exitCode(), run.exitCode());
    assertTrue(run.out().contains("Requested at small-gpt/train_gpt.py:63 loss_of"), run.out());
    assertTrue(run.out().contains("_record_memory_history"), run.out());
  }

  @Test
  void besideARecordingWithoutFailureTheLogSaysHowMuchMemoryThereWas() {
    Path calm = CommandRun.recording("prefetch_streams.pickle.xz");
    JsonNode alone = json(ExitCodes.DONE, calm).get("program");
    assertTrue(alone.get("limit_bytes").isNull());
    JsonNode both = json(ExitCodes.DONE, calm, LOG);
    assertEquals(9.22, both.get("program").get("limit_bytes").asLong() / (double) GIB, 0.005);
    assertEquals("CAPPED", both.get("log").get("oom_verdict").asString());
  }

  @Test
  void theLimitThatTheLogPrintsCountsWhereTheRecordingBoundsIt() throws Exception {
    JsonNode alone = json(ExitCodes.DONE, RECORDING).get("program");
    assertEquals(9.26, alone.get("limit_bytes").asLong() / (double) GIB, 0.005);
    JsonNode both = json(ExitCodes.DONE, RECORDING, LOG).get("program");
    assertEquals(9.22, both.get("limit_bytes").asLong() / (double) GIB, 0.005);

    Path other = folder.resolve("other.log");
    Files.writeString(other, Files.readString(LOG).replace("9.22 GiB allowed", "9.80 GiB allowed"));
    JsonNode apart = json(ExitCodes.DONE, RECORDING, other).get("program");
    assertEquals(alone.get("limit_bytes"), apart.get("limit_bytes"));
  }

  @Test
  void twoRecordingsOrTwoLogsAreRefused() {
    CommandRun traces = CommandRun.of("diagnose", RECORDING, RECORDING);
    assertEquals(ExitCodes.USAGE, traces.exitCode());
    assertTrue(traces.err().contains("are both recordings"), traces.err());
    CommandRun logs = CommandRun.of("diagnose", LOG, "-");
    assertEquals(ExitCodes.USAGE, logs.exitCode());
    assertTrue(logs.err().contains("are both logs"), logs.err());
  }

  /** 24 GiB of one stream beside 20 GiB that are cached for another. */
  @Test
  void memoryThatIsCachedForOtherStreamsIsNamed(@TempDir Path folder) throws IOException {
    StringBuilder rows = new StringBuilder();
    for (int i = 0; i < 20; i++) {
      rows.append("7,10:00:00.%06d,allocate,0x%x,1073741824,0x1\n".formatted(i, 4096 + i));
    }
    for (int i = 0; i < 20; i++) {
      rows.append("7,10:00:01.%06d,free,0x%x,1073741824,0x1\n".formatted(i, 4096 + i));
    }
    for (int i = 0; i < 24; i++) {
      rows.append("7,10:00:02.%06d,allocate,0x%x,1073741824,0x2\n".formatted(i, 8192 + i));
    }
    Path log =
        Files.writeString(
            folder.resolve("rmm.csv"), "Thread,Time,Action,Pointer,Size,Stream\n" + rows);
    CommandRun run = CommandRun.of("diagnose", log);
    assertTrue(
        run.out()
            .replaceAll("\\s+", " ")
            .contains("20.00 GiB (45.5 % of reserved memory) is cached for other streams"),
        run.out() + run.err());
  }

  @ParameterizedTest
  @CsvSource({
    "diagnose, Out of memory: the program asked for 64.00 GiB.",
    "replay, Out of memory: request 1 asked for 64.00 GiB",
    "tune, No setting helps:",
    "compare, No allocator can fit this program:",
  })
  void aFailureInAnRmmLogIsAFailureInEveryCommand(
      String command, String start, @TempDir Path folder) throws IOException {
    Path log =
        Files.writeString(
            folder.resolve("rmm.csv"),
            """
            Thread,Time,Action,Pointer,Size,Stream
            7,14:21:37:533094,allocate,0x7f0000000000,1073741824,0x2
            7,14:21:37:540111,allocate failure,0x0,68719476736,0x2
            7,14:21:37:541777,free,0x7f0000000000,1073741824,0x2
            """);
    CommandRun run = CommandRun.of(command, log);
    assertTrue(run.out().startsWith(start), run.out() + run.err());
    assertTrue(run.out().contains("limit 65.00 GiB"), run.out());
  }

  /** What was refused goes with the requests where a log is converted. */
  @Test
  void aFailureIsOneInAConvertedRmmLogToo(@TempDir Path folder) throws IOException {
    Path log =
        Files.writeString(
            folder.resolve("log-1.csv"),
            """
            Thread,Time,Action,Pointer,Size,Stream
            7,14:21:37:533094,allocate,0x7f0000000000,1073741824,0x2
            7,14:21:37:540111,allocate failure,0x0,68719476736,0x2
            7,14:21:37:541777,free,0x7f0000000000,1073741824,0x2
            """);
    Path converted = folder.resolve("log.jsonl");
    CommandRun run = CommandRun.of("convert", log, "--to", "jsonl", "-o", converted);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertEquals(
        CommandRun.of("diagnose", log).out().replace("log-1.csv", "FILE"),
        CommandRun.of("diagnose", converted).out().replace("log.jsonl", "FILE"));
  }

  /** Who has stacks of its requests only has none of its releases: that decides nothing. */
  @ParameterizedTest
  @ValueSource(strings = {"releases-without-stacks", "releases-with-the-requests-stack"})
  void anEmptyStackIsNoEvidenceAgainstALimit(String name) {
    CommandRun run =
        CommandRun.of("diagnose", Path.of("src/test/resources/recordings", name + ".pickle"));
    assertTrue(
        run.out()
            .contains(
                "limit 1020.00 MiB, the highest that explains when cached memory was released"
                    + " and requested again; without stacks of the releases, empty_cache() calls"
                    + " would also explain it"),
        run.out() + run.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"diagnose", "replay", "tune", "peak", "blockers", "leaks"})
  void anEmptySnapshotIsSaidToBeEmpty(String command) {
    CommandRun run =
        CommandRun.of(command, Path.of("src/test/resources/recordings/empty-snapshot.pickle"));
    assertTrue(
        run.err().contains("the snapshot is empty: it has neither segments nor an event history"),
        run.out() + run.err());
  }
}
