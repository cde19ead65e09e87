package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.allocsim.analysis.fleet.sweep.SweepColumn;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is valid and has an extreme in it is answered, or refused in one sentence. */
class OddInputsTest {
  private static final String HEADER = "{\"allocsim\":\"trace\",\"version\":1}\n";

  @TempDir private Path folder;

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private static void assertSentence(CommandRun run, int exitCode, String part) {
    assertEquals(exitCode, run.exitCode(), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains(part), run.err());
    assertFalse(run.err().contains("a bug in allocsim"), run.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"peak", "blockers", "replay", "inspect", "account", "leaks", "view"})
  void aTraceWithoutEventsIsNoDefect(String command) throws IOException {
    Path trace = file("header.jsonl", HEADER);
    CommandRun run =
        command.equals("view")
            ? CommandRun.of(command, trace, "--report", folder.resolve("view"))
            : CommandRun.of(command, trace);
    assertFalse(run.err().contains("a bug in allocsim"), run.err());
    if (command.equals("peak") || command.equals("blockers")) {
      assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    }
    if (command.equals("view")) {
      assertSentence(run, ExitCodes.FAILED, "header.jsonl: no requests recorded");
    }
  }

  @Test
  void aBlockThatAPageCannotShowIsNamed() throws IOException {
    Path trace =
        file("big.jsonl", HEADER + "{\"op\":\"alloc\",\"id\":0,\"bytes\":9007199254740993}\n");
    assertSentence(
        CommandRun.of("view", trace, "--report", folder.resolve("view")),
        ExitCodes.FAILED,
        "a page cannot show 9007199254740993");
  }

  @Test
  void timesThatAPageCannotShowAreNamed() throws IOException {
    String row = "{\"op\":\"alloc\",\"id\":%d,\"bytes\":4096,\"time_ns\":%d}\n";
    Path trace = file("late.jsonl", HEADER + row.formatted(0, 1) + row.formatted(1, 1L << 61));
    assertSentence(
        CommandRun.of("view", trace, "--report", folder.resolve("view")),
        ExitCodes.FAILED,
        "a page cannot show");
  }

  @ParameterizedTest
  @CsvSource({"9223372036854775807, the maximum is 8PiB", "8PiB, exceed the memory of"})
  void aProcessCannotHoldMoreThanTheGpu(String other, String part) throws IOException {
    Path trace = file("a.jsonl", HEADER + "{\"op\":\"alloc\",\"id\":0,\"bytes\":4096}\n");
    assertSentence(
        CommandRun.of("colocate", trace + ",other=" + other, trace), ExitCodes.USAGE, part);
  }

  @Test
  void aRunOfAJobHasARank() throws IOException {
    StringBuilder rows = new StringBuilder();
    SweepColumn.all().forEach(column -> rows.append(column.label()).append(','));
    rows.setCharAt(rows.length() - 1, '\n');
    for (SweepColumn column : SweepColumn.all()) {
      rows.append(
              switch (column) {
                case JOB -> "job";
                case OUTCOME -> "passed";
                case POLICY -> "pytorch";
                case DEVICE -> "h100-80gb";
                case CAPACITY_BYTES, PEAK_REQUESTED_BYTES, PEAK_RESERVED_BYTES, DRIVER_NANOS -> "1";
                default -> "";
              })
          .append(',');
    }
    rows.setCharAt(rows.length() - 1, '\n');
    Path sweep = Files.createDirectory(folder.resolve("sweep"));
    CommandRun swept =
        CommandRun.of(
            "sweep",
            file("a.jsonl", HEADER + "{\"op\":\"alloc\",\"id\":0,\"bytes\":4096}\n"),
            "-o",
            sweep);
    assertEquals(ExitCodes.DONE, swept.exitCode(), swept.err());
    Files.writeString(sweep.resolve("rows.csv"), rows);
    assertSentence(
        CommandRun.of("fleet-report", sweep),
        ExitCodes.FAILED,
        "a run of a job needs a value in rank");
  }

  @ParameterizedTest
  @CsvSource({
    "--speed, 1e-300, 2, more than a hundred years",
    "--repeat, 100000000, 2, more than a hundred years",
    "--other-processes, 1PiB, 1, at any --gpu-memory-utilization",
    "--graphs, 1PiB, 1, at any --gpu-memory-utilization"
  })
  void nothingIsServedWhereItCannotBe(String option, String value, int exitCode, String part)
      throws IOException {
    Path requests =
        file("r.csv", "Timestamp,Request tokens,Response tokens\n0,5,5\n3100000000,5,5\n");
    assertSentence(
        CommandRun.of("serve", requests, "--model", "llama-3.1-8b", option, value), exitCode, part);
  }

  @Test
  void aNameThatIsNotUtf8IsToBeChanged() {
    assertSentence(CommandRun.of("inspect", "a\ufffd.pickle"), ExitCodes.FAILED, "not valid UTF-8");
  }
}
