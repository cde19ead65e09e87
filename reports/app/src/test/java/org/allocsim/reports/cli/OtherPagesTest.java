package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.answer.gpu.ValidateAnswer;
import org.allocsim.reports.answer.gpu.ValidatedCase;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.document.render.JsonRenderer;
import org.allocsim.reports.html.ReportPage;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.question.gpu.ValidateRecordings;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.validation.gpu.AddressComparison;
import org.allocsim.validation.gpu.CaseResult;
import org.allocsim.validation.gpu.DriverTime;
import org.allocsim.validation.gpu.Exactness;
import org.allocsim.validation.gpu.HostSlowness;
import org.allocsim.validation.gpu.OomComparison;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.allocsim.workloads.source.DeviceTrace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The pages of {@code tune} and {@code validate}, in a browser. */
class OtherPagesTest {
  private static final long GIB = 1L << 30;

  @TempDir private Path folder;

  private static JsonNode embedded(Browser browser) {
    return new ObjectMapper()
        .readTree((String) browser.run("return document.getElementById('results').textContent"));
  }

  @Test
  void thePageOfTuneShowsTheLineToPasteAndTheRankedSettings() throws IOException {
    try (Browser browser = Browser.start()) {
      CommandRun run =
          CommandRun.of("tune", CommandRun.recording("cat_growth.pickle.xz"), "--report", folder);
      assertEquals("", run.err());
      assertEquals(List.of("tune.csv", "tune.html", "tune.json"), CommandRun.files(folder));
      JsonNode results = new ObjectMapper().readTree(folder.resolve("tune.json"));
      browser.open(folder.resolve("tune.html"));
      assertEquals(List.of(), browser.complaints());
      assertEquals(results, embedded(browser));
      assertEquals(results.get("verdict").get("paste_line").asString(), browser.text("#paste"));
      assertTrue(browser.text("h1").startsWith("Set "), browser.text("h1"));
      assertEquals(results.get("settings").size(), browser.all("#table tbody tr").size());
      for (String name : List.of("sizes", "lifetimes")) {
        assertTrue(browser.find("#" + name).isDisplayed(), name);
        for (String key : List.of("allocations", "requested_bytes")) {
          int plot = key.equals("allocations") ? 0 : 1;
          assertEquals(
              results.get(name).valueStream().map(bin -> bin.get(key).asLong()).toList(),
              browser
                  .json("allocsim.distributions." + name + ".plots[" + plot + "].plot.data[1]")
                  .valueStream()
                  .map(JsonNode::asLong)
                  .toList());
        }
      }
      JsonNode runs = browser.json("allocsim.data.traces[0].runs.map(run => run.row)");
      assertTrue(runs.size() >= 3, runs.toString());
      for (JsonNode row : runs) {
        browser.await(
            "const done = arguments[0]; allocsim.explorer.openRun(" + row + ").then(done)");
        for (String series : List.of("reserved", "allocated")) {
          assertEquals(
              results.get("settings").get(row.asInt()).get("peak_" + series + "_bytes").asLong(),
              browser.json("allocsim.explorer.run.series." + series + ".peak()").asLong(),
              series + " of setting " + row);
        }
      }
      assertEquals("[]", browser.accessibilityFaults().toString());
    }
  }

  @Test
  void aPageWithoutRunsShowsItsTablesOnly() throws IOException {
    try (Browser browser = Browser.start()) {
      CommandRun run =
          CommandRun.of(
              "inspect", CommandRun.recording("cuda_graph.pickle.xz"), "--report", folder);
      assertEquals("", run.err());
      browser.open(folder.resolve("inspect.html"));
      assertEquals(List.of(), browser.complaints());
      assertFalse(browser.find("#notice").isDisplayed());
      assertFalse(browser.find("#explorer").isDisplayed());
      assertTrue(browser.text("h1").startsWith("The snapshot has 206 events"), browser.text("h1"));
      assertEquals(2, browser.all("table.plain").size());
      assertEquals("[]", browser.accessibilityFaults().toString());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"replay", "peak", "blockers", "leaks"})
  void aPageAboutOneRunShowsItOverTime(String command) throws IOException {
    Path recording = CommandRun.recording("prefetch_streams.pickle.xz");
    CommandRun run = CommandRun.of(command, recording, "--report", folder);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    JsonNode replayed =
        new ObjectMapper().readTree(CommandRun.of("replay", recording, "--json", "-").out());
    long peakBytes = replayed.get("stats").get("reserved_bytes.all.peak").asLong();
    try (Browser browser = Browser.start()) {
      browser.open(folder.resolve(command + ".html"));
      assertEquals(
          replayed.get("device_bytes").asLong(),
          browser.json("allocsim.explorer.timeline.limit").asLong());
      assertEquals(List.of(), browser.complaints());
      assertTrue(browser.find("#explorer").isDisplayed());
      assertFalse(browser.find("#table").isDisplayed());
      assertEquals(
          peakBytes, browser.json("allocsim.explorer.run.series.reserved.peak()").asLong());
      assertEquals("[]", browser.accessibilityFaults().toString());
    }
  }

  @Test
  void thePageOfAProgramInTimeShowsHowBusyTheGpuIsAsTheJsonSays() throws IOException {
    try (Browser browser = Browser.start()) {
      Path trace = folder.resolve("mlp.jsonl");
      assertEquals(0, CommandRun.of("generate", "mlp", "-o", trace).exitCode());
      CommandRun run =
          CommandRun.of(
              "compare", trace, "--policies", "pytorch,direct", "--report", folder.resolve("out"));
      assertEquals("", run.err());
      JsonNode results = new ObjectMapper().readTree(folder.resolve("out/compare.json"));
      browser.open(folder.resolve("out/compare.html"));
      assertEquals(List.of(), browser.complaints());
      JsonNode rows = results.get("traces").get(0).get("results");
      for (int row = 0; row < rows.size(); row++) {
        browser.await(
            "const done = arguments[0]; allocsim.explorer.openRun(" + row + ").then(done)");
        assertTrue(browser.find("#busy canvas").isDisplayed());
        JsonNode shown =
            browser.json(
                "[...document.querySelectorAll('#busy-legend output')].map(output =>"
                    + " [output.dataset.key, JSON.parse(output.dataset.value)])");
        assertTrue(shown.size() > 1, "computes and copies: " + shown);
        for (JsonNode figure : shown) {
          double ratio = rows.get(row).get(figure.get(0).asString()).asDouble();
          assertEquals(ratio, figure.get(1).asDouble(), 0);
          String part =
              browser
                  .json(
                      "BUSY_PARTS.find(({ratio}) => ratio === '" + figure.get(0).asString() + "')")
                  .get("key")
                  .asString();
          double nanos =
              browser
                  .json(
                      "allocsim.explorer.busy.stretches." + part + ".nanos.reduce((a, b) => a + b)")
                  .asDouble();
          double end = browser.json("allocsim.explorer.busy.end").asDouble();
          assertEquals(ratio, nanos / end, 0, part);
          assertEquals(rows.get(row).get("simulated_seconds").asDouble(), end / 1e9, 0);
        }
      }
      assertEquals("[]", browser.accessibilityFaults().toString());
    }
  }

  private static ValidatedCase validated(
      PolicyChoice choice, long predictedBytes, long measuredBytes, String difference) {
    Exactness exact = new Exactness(10, 10, 0, 0);
    return new ValidatedCase(
        "trace.pickle",
        "0",
        choice,
        -1,
        -1,
        false,
        null,
        new CaseResult(
            "h200-141gb",
            100 * GIB,
            false,
            100 * GIB,
            50,
            12,
            12,
            difference == null ? 12 : 4,
            difference,
            0,
            false,
            exact,
            exact,
            exact,
            new AddressComparison(10, 10, 10, 1, 0, 1),
            predictedBytes,
            measuredBytes,
            new OomComparison(-1, -1, 0, 0, true),
            new DriverTime(
                List.of(), new HostSlowness(1, 1, 1), 1_000_000, 1_000_000, 1_100_000, 0.8, 1.1)));
  }

  private Path validatePage(String difference) throws IOException {
    PolicyChoice pytorch = PolicyChoice.parse("pytorch");
    DeviceTrace input =
        new TraceOptions()
            .open(
                CommandRun.recording("prefetch_streams.pickle.xz").toString(), Conditions.RECORDED)
            .input();
    ValidateRecordings recordings = new ValidateRecordings();
    recordings.add(input, 0, pytorch, -1, DeviceProfiles.defaultProfile());
    ValidateAnswer report =
        new ValidateAnswer(
            "2026-01-01",
            "580.1",
            new CudaDevice.Identity("NVIDIA H200", 13000, 141 * GIB, 140 * GIB),
            140 * GIB,
            Long.MAX_VALUE,
            false,
            List.of(
                validated(pytorch, 3 * GIB, 3 * GIB, difference),
                validated(PolicyChoice.parse("direct"), 2 * GIB, 2 * GIB + 4096, null),
                new ValidatedCase(
                    "trace.pickle",
                    "0",
                    PolicyChoice.parse("gmlake"),
                    -1,
                    -1,
                    false,
                    "needs something",
                    null)));
    Map<String, Object> results = JsonRenderer.json(report.document());
    try (OutputStream out = Files.newOutputStream(folder.resolve("validate.json"))) {
      JsonText.write(results, out);
    }
    Path page = folder.resolve("validate.html");
    try (OutputStream out = Files.newOutputStream(page)) {
      new ReportPage(report.document(), results, recordings.traces()).write(out);
    }
    return page;
  }

  @Test
  void thePageOfReplayShowsWhatTheTerminalDoes() throws IOException {
    CommandRun run =
        CommandRun.of(
            "replay", CommandRun.recording("device_oom.pickle.xz"), "--report", folder.toString());
    assertEquals(0, run.exitCode(), run.err());
    try (Browser browser = Browser.start()) {
      browser.open(folder.resolve("replay.html"));
      assertEquals(List.of(), browser.complaints());
      assertEquals(new ObjectMapper().readTree(folder.resolve("replay.json")), embedded(browser));
      assertTrue(browser.text("h1").contains("allocation requests failed"), browser.text("h1"));
      String text = browser.text("body");
      assertTrue(text.contains("PyTorch CUDA memory summary"), text);
      assertTrue(text.contains("lost to rounding"), text);
      assertEquals("[]", browser.accessibilityFaults().toString());
    }
    assertTrue(CommandRun.files(folder).contains("segments-oom.svg"));
  }

  @Test
  void thePageOfValidateShowsCasesPredictedAgainstMeasured() throws IOException {
    try (Browser browser = Browser.start()) {
      browser.open(validatePage(null));
      assertEquals(List.of(), browser.complaints());
      JsonNode results = new ObjectMapper().readTree(folder.resolve("validate.json"));
      assertEquals(results, embedded(browser));
      assertTrue(browser.text("h1").contains("in all 2 cases"), browser.text("h1"));
      assertTrue(browser.find("#agreement-chart canvas").isDisplayed());
      assertTrue(browser.text("#table").contains("not run: needs something"));
      JsonNode measured =
          browser.json(
              "[...document.querySelectorAll('td[data-key=measured_peak_bytes]')]"
                  + ".map(cell => JSON.parse(cell.dataset.value))");
      assertEquals("[" + 3 * GIB + "," + (2 * GIB + 4096) + "]", measured.toString());
      assertTrue(browser.find("#explorer").isDisplayed());
      assertEquals("[]", browser.accessibilityFaults().toString());
    }
  }

  @Test
  void aDifferenceIsTheFirstThingThatThePageOfValidateSays() throws IOException {
    try (Browser browser = Browser.start()) {
      browser.open(validatePage("call 5 differs"));
      assertTrue(browser.text("h1").contains("differ"), browser.text("h1"));
      assertTrue(browser.text(".facts").contains("call 5 differs"));
      assertFalse(browser.find("h1").getDomAttribute("class").contains("good"));
    }
  }
}
