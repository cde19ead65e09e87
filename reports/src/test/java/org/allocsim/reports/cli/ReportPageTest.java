package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The page of {@code compare}, in a browser. */
class ReportPageTest {
  private static final String TRACE =
      """
      {"allocsim":"trace","version":1}
      {"op":"stack","stack":1,"frames":[["model.py",3,"forward"]]}
      {"op":"stack","stack":2,"frames":[["optim.py",9,"step"]]}
      {"op":"alloc","id":1,"bytes":3000000,"time_ns":1000}
      {"op":"alloc","id":2,"bytes":700000,"stream":7,"time_ns":2000}
      {"op":"free","id":1,"time_ns":3000}
      {"op":"alloc","id":3,"bytes":9000000,"stack":1,"time_ns":4000}
      {"op":"alloc","id":4,"bytes":30000000,"stack":2,"time_ns":5000}
      {"op":"free","id":4,"time_ns":6000}
      {"op":"free","id":3,"time_ns":7000}
      {"op":"free","id":2,"time_ns":8000}
      """;

  @TempDir private static Path folder;
  private static Browser browser;
  private static JsonNode results;

  @BeforeAll
  static void compare() throws IOException {
    browser = Browser.start();
    Path trace = Files.writeString(folder.resolve("trace.jsonl"), TRACE);
    CommandRun run =
        CommandRun.of(
            "compare",
            trace,
            CommandRun.recording("device_oom.pickle.xz"),
            "--policies",
            "pytorch,cub,cuda-async,max-live,rmm-fixed,rmm-pool,gmlake,direct,tlsf,buddy,slab,"
                + "first-fit,best-fit,worst-fit,next-fit",
            "--report",
            folder.resolve("out"));
    assertEquals("", run.err());
    assertEquals(ExitCodes.DONE, run.exitCode());
    results = new ObjectMapper().readTree(folder.resolve("out/compare.json"));
  }

  @AfterAll
  static void close() {
    if (browser != null) {
      browser.close();
    }
  }

  private static void open() {
    browser.open(folder.resolve("out/compare.html"));
  }

  private static int rowOf(int trace, String policy) {
    List<JsonNode> rows = results.get("traces").get(trace).get("results").valueStream().toList();
    for (int row = 0; row < rows.size(); row++) {
      if (rows.get(row).get("policy").asString().equals(policy)) {
        return row;
      }
    }
    throw new AssertionError(policy + " has no row");
  }

  @Test
  void thePageLoadsFromTheFileSystemWithoutErrorsAndWithoutNetwork() throws IOException {
    open();
    assertEquals(List.of(), browser.complaints());
    assertEquals(0L, browser.run("return performance.getEntriesByType('resource').length"));
    assertTrue((boolean) browser.run("return document.getElementById('notice').hidden"));
    String html = Files.readString(folder.resolve("out/compare.html"));
    assertFalse(html.contains("<link"), "a link to another file");
    assertFalse(html.contains("src=\"http"), "a source in the network");
  }

  @Test
  void theResultsInThePageAreTheJsonOfTheCommand() {
    open();
    String embedded = (String) browser.run("return document.getElementById('results').textContent");
    assertEquals(results, new ObjectMapper().readTree(embedded));
  }

  @Test
  void everyFigureOfTheTableEqualsTheJson() {
    open();
    for (int trace = 0; trace < results.get("traces").size(); trace++) {
      if (trace > 0) {
        browser.choose("#trace", String.valueOf(trace));
      }
      JsonNode rows = results.get("traces").get(trace).get("results");
      JsonNode shown =
          browser.json(
              "[...document.querySelectorAll('#table tbody tr[data-row]')].map(line => ({row:"
                  + " Number(line.dataset.row), cells: Object.fromEntries("
                  + "[...line.querySelectorAll('td[data-key]')].map(cell =>"
                  + " [cell.dataset.key, JSON.parse(cell.dataset.value)]))}))");
      assertEquals(rows.size(), shown.size());
      int compared = 0;
      for (JsonNode line : shown) {
        JsonNode row = rows.get(line.get("row").asInt());
        for (var cell : line.get("cells").properties()) {
          assertSame(row.get(cell.getKey()), cell.getValue(), cell.getKey() + " of " + row);
          compared++;
        }
      }
      assertTrue(compared > 40, compared + " figures compared");
    }
  }

  /** Without a tolerance; a script writes 1.0 as 1. */
  private static void assertSame(JsonNode expected, JsonNode shown, String what) {
    if (expected.isNumber() && shown.isNumber()) {
      assertEquals(expected.doubleValue(), shown.doubleValue(), 0.0, what);
    } else {
      assertEquals(expected, shown, what);
    }
  }

  @Test
  void everyBarEqualsTheJson() {
    open();
    browser.click("#all-rows");
    JsonNode rows = results.get("traces").get(0).get("results");
    JsonNode bars =
        browser.json(
            "[...document.querySelectorAll('#bars figure')].map(figure =>"
                + " [...figure.querySelectorAll('li[data-row]')].map(line => ({row:"
                + " Number(line.dataset.row), sum: Number(line.querySelector('.sum')"
                + ".dataset.value), parts: Object.fromEntries([...line.querySelectorAll("
                + "'i[data-part]')].map(part => [part.dataset.part,"
                + " Number(part.dataset.value)]))})))");
    long run = rows.valueStream().filter(row -> row.get("not_run_reason").isNull()).count();
    assertEquals(2, bars.size());
    for (JsonNode line : bars.get(0)) {
      JsonNode row = rows.get(line.get("row").asInt());
      assertEquals(row.get("peak_reserved_bytes").asLong(), line.get("sum").asLong(), "sum");
      for (var part : line.get("parts").properties()) {
        assertEquals(
            row.get("reserved_at_peak").get(part.getKey()).asLong(), part.getValue().asLong());
      }
    }
    for (JsonNode line : bars.get(1)) {
      JsonNode row = rows.get(line.get("row").asInt());
      double seconds =
          row.get("driver_seconds_by_call").valueStream().mapToDouble(JsonNode::asDouble).sum();
      assertEquals(seconds, line.get("sum").asDouble(), 1e-12);
      assertEquals(row.get("driver_seconds").asDouble(), seconds, 1e-12);
    }
    assertEquals(run, bars.get(0).size());
    assertEquals(run, bars.get(1).size());
  }

  @Test
  void distributionsAndTheChartOfAllRunsEqualTheJson() {
    open();
    for (String name : List.of("sizes", "lifetimes")) {
      JsonNode bins = results.get("traces").get(0).get(name);
      assertTrue(bins.size() > 1, bins.toString());
      for (int plot = 0; plot < 2; plot++) {
        String key = plot == 0 ? "allocations" : "requested_bytes";
        assertEquals(
            bins.valueStream().map(bin -> bin.get(key).asLong()).toList(),
            browser
                .json("allocsim.distributions." + name + ".plots[" + plot + "].plot.data[1]")
                .valueStream()
                .map(JsonNode::asLong)
                .toList(),
            name + ": " + key);
      }
    }
    JsonNode peaks =
        browser.json(
            "allocsim.overview.plot.data.slice(2).map((values, i) =>"
                + " [allocsim.overview.runs[i].about.row, Math.max(...values)])");
    for (JsonNode peak : peaks) {
      JsonNode row = results.get("traces").get(0).get("results").get(peak.get(0).asInt());
      assertEquals(row.get("peak_reserved_bytes").asLong(), peak.get(1).asLong(), row.toString());
    }
  }

  @Test
  void aLongTableShowsItsFirstRowsUntilAllAreAskedFor() {
    open();
    int all = results.get("traces").get(0).get("results").size();
    long first = visibleRows();
    assertTrue(first < all, first + " of " + all + " rows");
    browser.click("#all-rows");
    assertEquals(all, visibleRows());
    browser.click("#all-rows");
    assertEquals(first, visibleRows());
  }

  private static long visibleRows() {
    return browser.all("#table tbody tr[data-row]").stream()
        .filter(WebElement::isDisplayed)
        .count();
  }

  @Test
  void aNarrowWindowScrollsInOneDirectionOnly() {
    open();
    browser.resize(420, 900);
    try {
      browser.settle();
      assertEquals(
          0L,
          browser.run("return Math.max(0, document.documentElement.scrollWidth - innerWidth)"),
          "pixels beyond the window");
    } finally {
      browser.resize(1280, 1000);
    }
  }

  @Test
  void aFilterByStackKeepsItsBlocks() {
    open();
    browser.choose("#run", String.valueOf(rowOf(0, "cub")));
    awaitRun(rowOf(0, "cub"));
    browser.run("allocsim.explorer.jump(4)");
    browser.type("#filter-stack", "optim", Keys.TAB);
    assertEquals("1", holders());
    assertEquals(
        30_000_000, browser.json("allocsim.explorer.filtered.peak()").asLong(), "filtered series");
  }

  @Test
  void theTimelineOfEachPolicyReachesItsFigures() {
    open();
    for (int trace = 0; trace < results.get("traces").size(); trace++) {
      browser.run("return document.getElementById('trace').value = " + trace);
      browser.await(
          "const done = arguments[0]; const e = allocsim.explorer;"
              + "e.openTrace("
              + trace
              + ").then(() => e.openRun(allocsim.data.traces["
              + trace
              + "].opens.row)).then(done)");
      JsonNode rows = results.get("traces").get(trace).get("results");
      for (int number = 0; number < rows.size(); number++) {
        JsonNode row = rows.get(number);
        if (!row.get("not_run_reason").isNull()) {
          continue;
        }
        browser.await(
            "const done = arguments[0]; allocsim.explorer.openRun(" + number + ").then(done)");
        for (String series : List.of("reserved", "allocated", "requested")) {
          assertEquals(
              row.get("peak_" + series + "_bytes").asLong(),
              browser.json("allocsim.explorer.run.series." + series + ".peak()").asLong(),
              series + " of " + row);
        }
      }
    }
  }

  @Test
  void
      fragmentationIsThatOfTheJsonWhereReservedMemoryIsHighestAndItsBucketsAreThoseOfEveryRequest() {
    open();
    browser.await(
        "const done = arguments[0]; const e = allocsim.explorer;"
            + "e.openTrace(1).then(() => e.openRun(allocsim.data.traces[1].opens.row)).then(done)");
    JsonNode rows = results.get("traces").get(1).get("results");
    int compared = 0;
    for (JsonNode number : browser.json("allocsim.data.traces[1].runs.map(run => run.row)")) {
      browser.await(
          "const done = arguments[0]; allocsim.explorer.openRun(" + number + ").then(done)");
      browser.run(
          "allocsim.explorer.jump(allocsim.explorer.run.moments"
              + ".find(moment => moment.name === 'peak').at)");
      browser.settle();
      JsonNode row = rows.get(number.asInt());
      if (row.get("failed_requests").asLong() == 0) {
        double share =
            row.get("peak_reserved_bytes").asLong() == 0
                ? 0
                : row.get("slack_at_peak_bytes").asDouble()
                    / row.get("peak_reserved_bytes").asDouble();
        assertEquals(
            share,
            browser
                .json("Number(document.getElementById('unused-value').dataset.value)")
                .asDouble(),
            0,
            row.toString());
        compared++;
      }
      assertEquals(
          0,
          browser
              .json(
                  "(run => { const {unused} = run.series; return run.isWhole"
                      + " ? unused.values.filter((v, i) => { unused.range(i, i + 1);"
                      + " return unused.max < v || unused.min > v; }).length : 0; })"
                      + "(allocsim.explorer.run)")
              .asInt());
    }
    assertTrue(compared > 5, compared + " runs without a failure");
    browser.await(
        "const done = arguments[0]; const {run, trace} = allocsim.explorer;"
            + "inflate(run.about.id + '-timeline').then(bytes => {"
            + "const kept = readBuckets(new Columns(bytes), run.about).unused;"
            + "const {unused} = run.series; globalThis.wrong = [];"
            + "for (let i = 0; i < kept.starts.length; i++) {"
            + "unused.range(kept.starts[i], kept.starts[i + 1] ?? trace.events);"
            + "if (Math.abs(unused.max - kept.highest[i]) > 1e-4"
            + " || Math.abs(unused.min - kept.lowest[i]) > 1e-4) wrong.push(i); } done(); })");
    assertEquals("[]", browser.json("globalThis.wrong").toString(), "buckets");
  }

  @Test
  void theSelectionOfARunMarksItsRow() {
    open();
    browser.choose("#run", String.valueOf(rowOf(0, "cub")));
    awaitRun(rowOf(0, "cub"));
    assertEquals(
        String.valueOf(rowOf(0, "cub")),
        browser.find("#table tr[aria-current]").getDomAttribute("data-row"));
    assertFalse(browser.find("#figures").isDisplayed(), "the table has the figures");
  }

  private static void awaitRun(int row) {
    browser.await(
        "const done = arguments[0];"
            + "const look = () => allocsim.explorer.run.about.row === "
            + row
            + " ? done() : setTimeout(look, 10); look();");
    browser.settle();
  }

  @Test
  void hoverShowsTheBlockUnderThePointer() {
    open();
    browser.choose("#run", String.valueOf(rowOf(0, "cub")));
    awaitRun(rowOf(0, "cub"));
    browser.run("allocsim.explorer.jump(4)");
    browser.settle();
    WebElement map = browser.find("#map");
    browser.reveal(map);
    JsonNode blocks = browser.json("Array.from(allocsim.explorer.layout.blocks)");
    assertEquals(3, blocks.size());
    String[] expected = {
      null,
      "683.59 KiB (700\u202f000 B)|event 1, freed at event 7|0x7",
      "8.58 MiB (9\u202f000\u202f000 B)|event 3, freed at event 6|0x0|model.py",
      "28.61 MiB (30\u202f000\u202f000 B)|event 4, freed at event 5|0x0|optim.py"
    };
    for (JsonNode block : blocks) {
      JsonNode at = browser.json("allocsim.explorer.map.pointOf(" + block + ")");
      var size = map.getSize();
      browser
          .mouse()
          .moveToElement(
              map,
              (int) Math.round(at.get("x").asDouble() - size.width / 2.0),
              (int) Math.round(at.get("y").asDouble() - size.height / 2.0))
          .perform();
      browser.settle();
      WebElement tip = browser.find("#tip");
      assertTrue(tip.isDisplayed());
      assertEquals(block.asString(), tip.getDomAttribute("data-block"));
      for (String part : expected[block.asInt()].split("\\|")) {
        assertTrue(tip.getText().contains(part), part + " is not in " + tip.getText());
      }
    }
  }

  @Test
  void aClickOnTheTimelineMovesTheCursorAndTheMapFollows() {
    open();
    WebElement over = browser.find("#timeline .u-over");
    browser.reveal(over);
    List<String> seen = new ArrayList<>();
    for (int share : new int[] {-40, 45}) {
      browser.mouse().moveToElement(over, over.getSize().width * share / 100, 20).click().perform();
      browser.settle();
      String position = browser.find("#position").getDomProperty("value");
      assertEquals(
          browser.json("allocsim.explorer.layout.at").asString(), position, "map and cursor");
      assertTrue(browser.text("#map-facts").startsWith("After event " + position + ":"));
      seen.add(position);
    }
    assertNotEquals(seen.get(0), seen.get(1));
  }

  @Test
  void keysMoveTheCursorZoomAndPan() {
    open();
    browser.choose("#trace", "1");
    browser.await(
        "const done = arguments[0]; const look = () => allocsim.explorer.trace.about.name"
            + ".includes('device_oom') && allocsim.explorer.layout"
            + ".run.trace === allocsim.explorer.trace ? done() : setTimeout(look, 10); look();");
    browser.run("allocsim.explorer.jump(100)");
    browser.run("document.getElementById('timeline').focus()");
    browser.type("#timeline", Keys.ARROW_RIGHT);
    assertEquals("101", browser.find("#position").getDomProperty("value"));
    browser.type("#timeline", Keys.ARROW_LEFT, Keys.ARROW_LEFT);
    assertEquals("99", browser.find("#position").getDomProperty("value"));
    double whole = span();
    browser.type("#timeline", "++");
    assertEquals(whole / 4, span(), 1e-6 * whole);
    double from = browser.json("allocsim.explorer.timeline.view.from").asDouble();
    browser.type("#timeline", Keys.PAGE_DOWN);
    assertTrue(browser.json("allocsim.explorer.timeline.view.from").asDouble() > from);
    browser.type("#timeline", "0");
    assertEquals(whole, span(), 1e-6 * whole);
  }

  @Test
  void theKeyOGoesToTheFirstFailedRequest() {
    open();
    int row = rowOf(0, "rmm-fixed");
    browser.choose("#run", String.valueOf(row));
    awaitRun(row);
    browser.type("#timeline", Keys.HOME);
    assertEquals("0", browser.find("#position").getDomProperty("value"));
    browser.type("#timeline", "o");
    JsonNode first =
        results.get("traces").get(0).get("results").get(row).get("first_failed_request_bytes");
    String position = browser.find("#position").getDomProperty("value");
    assertEquals(
        first.asLong(),
        TRACE
            .lines()
            .skip(3 + Integer.parseInt(position))
            .findFirst()
            .map(line -> Long.parseLong(line.replaceAll(".*\"bytes\":(\\d+).*", "$1")))
            .orElseThrow());
    assertTrue(browser.find("#jumps [data-moment=first_oom]").isDisplayed());
  }

  private static double span() {
    JsonNode view = browser.json("allocsim.explorer.timeline.view");
    return view.get("to").asDouble() - view.get("from").asDouble();
  }

  @Test
  void draggingPansAndTheWheelZoomsWhereTheChartHasTheFocus() {
    open();
    browser.choose("#trace", "1");
    browser.settle();
    browser.run("allocsim.explorer.timeline.zoom(0.25)");
    browser.settle();
    WebElement over = browser.find("#timeline .u-over");
    browser.reveal(over);
    double from = browser.json("allocsim.explorer.timeline.view.from").asDouble();
    browser
        .mouse()
        .moveToElement(over, 60, 30)
        .clickAndHold()
        .moveByOffset(-200, 0)
        .release()
        .perform();
    browser.settle();
    assertTrue(browser.json("allocsim.explorer.timeline.view.from").asDouble() > from);
    double before = span();
    browser.run("document.getElementById('timeline').focus()");
    browser.run(
        "arguments[0].dispatchEvent(new WheelEvent('wheel', {deltaY: -300, clientX: 600,"
            + " bubbles: true, cancelable: true}))",
        over);
    browser.settle();
    assertEquals(before / 2, span(), 1e-6 * before);
  }

  @Test
  void aFilterKeepsTheBlocksOfItsSizeAndStream() {
    open();
    browser.choose("#run", String.valueOf(rowOf(0, "cub")));
    awaitRun(rowOf(0, "cub"));
    browser.run("allocsim.explorer.jump(4)");
    browser.type("#filter-min", "1 MiB", Keys.TAB);
    assertEquals("11", holders());
    browser.choose("#filter-stream", "1");
    assertEquals("", holders());
    browser.click("#filter-clear");
    assertEquals("111", holders());
    browser.choose("#filter-stream", "1");
    assertEquals("1", holders());
    assertEquals(
        700_000, browser.json("allocsim.explorer.filtered.peak()").asLong(), "filtered series");
  }

  /** Numbers of blocks in the lines of the list of holders. */
  private static String holders() {
    return browser.all("#holders td[data-key=blocks]").stream()
        .map(WebElement::getText)
        .reduce("", String::concat);
  }

  @Test
  void aClickOnAHeadingSortsUpAndThenDown() {
    open();
    browser.click("#table thead th:nth-child(8) button");
    List<Long> calls = column("driver_calls");
    assertEquals(calls.stream().sorted().toList(), calls);
    assertEquals(
        "ascending", browser.find("#table thead th:nth-child(8)").getDomAttribute("aria-sort"));
    browser.click("#table thead th:nth-child(8) button");
    assertEquals(calls.reversed().stream().sorted().toList().reversed(), column("driver_calls"));
  }

  private static List<Long> column(String key) {
    return browser
        .json(
            "[...document.querySelectorAll('#table td[data-key="
                + key
                + "]')].map(cell => JSON.parse(cell.dataset.value))")
        .valueStream()
        .map(JsonNode::asLong)
        .toList();
  }

  @Test
  void axeFindsNothingSeriousInEitherTheme() {
    for (String theme : List.of("light", "dark")) {
      open();
      browser.choose("#theme", theme);
      assertEquals("[]", browser.accessibilityFaults().toString(), theme);
    }
  }

  @Test
  void printShowsLightPaper() {
    open();
    browser.choose("#theme", "dark");
    browser.run("dispatchEvent(new Event('beforeprint'))");
    assertEquals("light", browser.run("return document.documentElement.dataset.theme"));
    browser.run("dispatchEvent(new Event('afterprint'))");
    assertEquals("dark", browser.run("return document.documentElement.dataset.theme"));
  }
}
