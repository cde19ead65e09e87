package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Suite;
import org.allocsim.analysis.suite.SuiteResult;
import org.allocsim.reports.answer.suite.SuiteAnswer;
import org.allocsim.reports.cli.suite.SuiteCommand;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class SuiteCommandTest {
  @TempDir Path folder;

  @Test
  void theTableShowsEveryScenario() throws IOException {
    CommandRun run = CommandRun.of("suite");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    Golden.assertGolden("suite.txt", run.out());
  }

  @Test
  void aNamedScenarioIsShownInDetail() throws IOException {
    CommandRun run = CommandRun.of("suite", "article-gpu");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    Golden.assertGolden("suite-article-gpu.txt", run.out());
  }

  @Test
  void markdownHasARowForEveryScenario() {
    CommandRun run = CommandRun.of("suite", "--markdown", "refit-cliff", "cpu-fallback");
    List<String> rows =
        run.out().lines().filter(line -> line.matches("\\| (refit|cpu)-.*")).toList();
    assertEquals(2, rows.size());
    assertTrue(rows.getFirst().contains("reproduced"), rows.getFirst());
    assertTrue(rows.getLast().contains("wrong"), rows.getLast());
  }

  @Test
  void theListRunsNothingAndNamesAll() {
    CommandRun run = CommandRun.of("suite", "--list");
    assertEquals(Suite.all().size() + 1, run.out().lines().count());
  }

  @Test
  void anUnknownNameIsAMistake() {
    CommandRun run = CommandRun.of("suite", "no-such-thing");
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("suite --list"), run.err());
  }

  @Test
  void tasksThatExcludeEachOtherAreAMistake() {
    assertEquals(
        ExitCodes.USAGE, CommandRun.of("suite", "--export", folder, "--markdown").exitCode());
    assertEquals(
        ExitCodes.USAGE,
        CommandRun.of("suite", "cpu-fallback", "--policies", "pytorch").exitCode());
    assertEquals(
        ExitCodes.USAGE, CommandRun.of("suite", "--policies", "no-such-policy").exitCode());
  }

  @Test
  void aScenarioThatFailsGivesTheExitCodeOfChecks() {
    SuiteResult good = Suite.run(Suite.named("cpu-fallback").orElseThrow());
    Findings wrong = Findings.ofFailure().count("a", 1, 2).conclude("It is not.");
    SuiteResult bad = new SuiteResult(good.topic(), good.outcomes(), wrong);
    assertEquals(ExitCodes.DONE, SuiteCommand.exitCode(new SuiteAnswer(List.of(good))));
    SuiteAnswer both = new SuiteAnswer(List.of(good, bad));
    assertEquals(ExitCodes.CHECK_DID_NOT_HOLD, SuiteCommand.exitCode(both));
  }

  @Test
  void jsonHoldsWhatTheTableShows() {
    CommandRun run = CommandRun.of("suite", "weight-conversion", "--json", "-");
    JsonNode json = new ObjectMapper().readTree(run.out());
    assertTrue(json.get("passes").asBoolean());
    JsonNode scenario = json.get("scenarios").get(0);
    assertEquals("weight-conversion", scenario.get("name").asString());
    assertTrue(scenario.get("checks").size() > 5);
    assertEquals(8, scenario.get("variants").size());
  }

  /** The files hold the programs: replayed on the listed device they come to the same. */
  @Test
  void exportedProgramsReplayAsInTheSuite() throws IOException {
    Path cases = folder.resolve("cases");
    CommandRun run =
        CommandRun.of("suite", "weight-conversion", "memory-of-all-gpus", "--export", cases);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    List<String> list = Files.readAllLines(cases.resolve("suite.csv"));
    assertEquals(1 + 8 + 4, list.size());
    JsonNode replay =
        new ObjectMapper()
            .readTree(
                CommandRun.of(
                        "replay",
                        cases.resolve("weight-conversion.jsonl"),
                        "--capacity",
                        "80GiB",
                        "--json",
                        "-")
                    .out());
    assertEquals(
        Suite.run(Suite.named("weight-conversion").orElseThrow())
            .outcomes()
            .list()
            .getFirst()
            .peakReservedBytes(),
        replay.get("stats").get("reserved_bytes.all.peak").asLong());
    // Of a program on two devices both are written.
    CommandRun second =
        CommandRun.of(
            "replay",
            cases.resolve("memory-of-all-gpus-2.jsonl"),
            "--device-index",
            1,
            "--capacity",
            "16GiB");
    assertEquals(ExitCodes.DONE, second.exitCode(), second.err());
    assertEquals(
        ExitCodes.FAILED,
        CommandRun.of("suite", "--export", cases.resolve("suite.csv")).exitCode());
  }

  @Test
  void allocatorsAreScoredOnTheReportedFailures() {
    CommandRun run =
        CommandRun.of(
            "suite", "weight-conversion", "article-gpu", "--policies", "pytorch,max-live");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    List<String> lines = run.out().lines().toList();
    assertTrue(lines.get(1).startsWith("max-live"), "the bound comes first");
    assertTrue(lines.get(2).contains("OOM"), "the article's GPU runs out of memory");
  }
}
