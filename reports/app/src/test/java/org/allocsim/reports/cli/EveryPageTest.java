package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.render.JsonRenderer;
import org.allocsim.reports.html.ReportPage;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * Every kind of page can be read by everybody, on wide and narrow screens, on light and dark paper.
 */
class EveryPageTest {
  private static final Path SAMPLE = Path.of("samples/gpt_oom.pickle.xz");
  private static final Path OTHER = Path.of("samples/train_gpt.pickle.xz");
  private static final String FEW = "pytorch,cub";
  private static final int[] WIDTHS = {1280, 390};
  private static final int HEIGHT = 900;

  @SuppressWarnings("NullAway.Init") // stays null where no browser is installed
  private static Browser browser;

  @TempDir private Path folder;

  /** Commands by words, where JOB stands for the folder of a job, and SWEPT for that of a sweep. */
  static Stream<List<Object>> pages() {
    Stream.Builder<List<Object>> pages = Stream.builder();
    for (String command :
        List.of("replay", "peak", "blockers", "verify", "account", "inspect", "diagnose", "tune")) {
      pages.add(List.of(command, SAMPLE));
    }
    for (String command :
        List.of("replay", "peak", "leaks", "diagnose", "tune", "verify", "min-capacity")) {
      pages.add(List.of(command, "JOB"));
    }
    pages.add(List.of("compare", "JOB", "--policies", FEW));
    pages.add(List.of("compare", SAMPLE, "--policies", FEW));
    pages.add(List.of("check", SAMPLE, "--max-reserved", "9GiB"));
    pages.add(List.of("check", "JOB", "--max-reserved", "9GiB"));
    pages.add(List.of("leaks", OTHER));
    pages.add(List.of("min-capacity", SAMPLE));
    pages.add(List.of("diff", OTHER, SAMPLE));
    pages.add(List.of("view", SAMPLE));
    pages.add(List.of("view", OTHER, SAMPLE));
    pages.add(List.of("view", "JOB"));
    pages.add(List.of("explain-oom", "samples/oom.log"));
    pages.add(List.of("lint-conf", "expandable_segments:True"));
    pages.add(List.of("list", "policies"));
    pages.add(List.of("perturb", SAMPLE, "--resize", "2%", "--runs", "3"));
    pages.add(List.of("serve", "samples/chat_requests.jsonl", "--model", "llama-3.1-8b"));
    pages.add(List.of("fleet-report", "SWEPT"));
    pages.add(List.of("suite"));
    pages.add(List.of("suite", "--policies", FEW));
    pages.add(List.of("fit", "--batch", "16", "program:vit(batch=4)", "program:vit(batch=8)"));
    return pages.build();
  }

  @BeforeAll
  static void start() {
    browser = Browser.start();
  }

  @AfterAll
  static void end() {
    if (browser != null) {
      browser.close();
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everybodyCanReadIt(List<Object> command) throws IOException {
    check(page(command), command.toString());
  }

  private static void check(Path page, String name) {
    browser.resize(WIDTHS[0], HEIGHT);
    browser.prefer("light");
    browser.open(page);
    assertEquals(List.of(), browser.complaints(), name);
    for (String theme : List.of("light", "dark")) {
      for (int width : WIDTHS) {
        browser.prefer(theme);
        browser.resize(width, HEIGHT);
        String where = name + ", " + width + " px, " + theme;
        assertTrue(
            browser.json("document.documentElement.scrollWidth").asInt() <= width,
            "is wider than the screen: " + where);
        assertEquals("[]", browser.allAccessibilityFaults().toString(), where);
      }
    }
    assertEquals(List.of(), browser.complaints(), name);
  }

  /** Commands that need a GPU or take long, by answers that were made without them. */
  @Test
  void everybodyCanReadMeasurements() throws IOException {
    for (Document<?> document :
        List.of(
            ValidateReportTest.report().document(),
            BenchCommandTest.sample().document(),
            SimulatedCalibration.answer().document())) {
      Path page = folder.resolve(document.kind().name() + ".html");
      try (OutputStream out = Files.newOutputStream(page)) {
        new ReportPage(document, JsonRenderer.json(document), List.of()).write(out);
      }
      check(page, document.kind().name());
    }
  }

  @Test
  void tablesThatThePageCameWithAreSorted() throws IOException {
    browser.open(page(List.of("min-capacity", "JOB")));
    String column =
        "[...document.querySelector('table.plain').tBodies[0].rows].map(row =>"
            + " Number(row.cells[1].dataset.value))";
    browser.run("document.querySelector('table.plain').tHead.rows[0].cells[1].firstChild.click()");
    List<Double> upwards = numbers(column);
    assertEquals(upwards.stream().sorted().toList(), upwards);
    browser.run("document.querySelector('table.plain').tHead.rows[0].cells[1].firstChild.click()");
    assertEquals(upwards.reversed(), numbers(column));
  }

  private static List<Double> numbers(String script) {
    List<Double> numbers = new ArrayList<>();
    browser.json(script).forEach(each -> numbers.add(each.asDouble()));
    assertTrue(numbers.size() > 1, numbers.toString());
    return numbers;
  }

  private Path page(List<Object> command) throws IOException {
    List<Object> arguments = new ArrayList<>(command);
    arguments.replaceAll(
        each -> each.equals("JOB") ? job() : each.equals("SWEPT") ? swept() : each);
    Path report = folder.resolve("report");
    arguments.addAll(List.of("--report", report));
    CommandRun run = CommandRun.of(arguments.toArray());
    assertFalse(run.exitCode() == ExitCodes.USAGE || run.exitCode() == ExitCodes.FAILED, run.err());
    try (Stream<Path> files = Files.list(report)) {
      return files.filter(file -> file.toString().endsWith(".html")).findFirst().orElseThrow();
    }
  }

  private Path job() {
    return Path.of("../validation/jobs/recorded/ddp");
  }

  private Path swept() {
    Path swept = folder.resolve("swept");
    CommandRun run =
        CommandRun.of("sweep", SAMPLE, OTHER, "--policies", "pytorch,bfc", "-o", swept);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    return swept;
  }

  @Test
  void chartsOfAFleetAreDrawnForTelephonesOnTheirOwn() throws IOException {
    browser.open(page(List.of("fleet-report", "SWEPT")));
    for (int width : WIDTHS) {
      browser.resize(width, HEIGHT);
      JsonNode shown =
          browser.json(
              "[...document.querySelectorAll('figure img')].filter(img => img.offsetWidth >"
                  + " 0).map(img => [img.parentElement.className, img.offsetWidth /"
                  + " img.naturalWidth])");
      assertTrue(shown.size() >= 2, shown.toString());
      for (JsonNode image : shown) {
        assertEquals(width < 700 ? "narrow" : "broad", image.get(0).asString());
        assertTrue(image.get(1).asDouble() > 0.9, "words keep their size: " + shown);
      }
    }
  }
}
