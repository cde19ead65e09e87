package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The page of a job has the answer's tables, and its ranks beside each other as {@code view}. */
class JobPageTest {
  private static final Path JOB = Path.of("..", "validation", "jobs", "recorded", "pipe");

  @TempDir private static Path folder;
  private static Browser browser;

  @BeforeAll
  static void start() {
    browser = Browser.start();
  }

  @AfterAll
  static void close() {
    if (browser != null) {
      browser.close();
    }
  }

  private static Path report(String command) {
    Path report = folder.resolve(command);
    CommandRun run = CommandRun.of(command, JOB, "--report", report);
    assertEquals("", run.err());
    assertEquals(0, run.exitCode());
    return report.resolve(command + ".html");
  }

  private static void open(Path page, String fragment) {
    browser.run("location.href = 'about:blank'");
    browser.open(page, fragment);
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  void everyRankIsInTheExplorerAndInATable() throws IOException {
    // One keeps what it replayed, one shows several settings, one has no runs of its own.
    for (String command : List.of("peak", "tune", "inspect")) {
      open(report(command), "");
      JsonNode names =
          browser.json("[...document.querySelectorAll('#trace option')].map(o => o.textContent)");
      assertEquals("[\"rank 0\",\"rank 1\"]", names.toString(), command);
      assertFalse(browser.text("#explorer").isEmpty(), command);
      String tables = browser.text("table.plain");
      assertTrue(tables.contains("rank"), tables);
      assertEquals("[]", browser.accessibilityFaults().toString(), command);
    }
  }

  @Test
  void theExplorerShowsTheSameOfARankAsView() {
    Path viewed = folder.resolve("viewed");
    assertEquals(0, CommandRun.of("view", JOB, "--report", viewed).exitCode());
    for (int rank = 0; rank < 2; rank++) {
      open(report("verify"), "#trace=" + rank);
      JsonNode ofJob = state();
      open(viewed.resolve("view.html"), "#trace=" + rank);
      assertEquals(state(), ofJob);
    }
  }

  private static JsonNode state() {
    return browser.json(
        "(({run, trace}) => ({events: trace.events, sizes: [...trace.size],"
            + " births: [...trace.birth], frees: [...trace.free],"
            + " addresses: [...run.address].map(String), done: [...run.done]}))"
            + "(allocsim.explorer)");
  }
}
