package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The page about one run: its first screen, what stands on it, and what its search finds. */
class ExplorerPageTest {
  private static final Path SAMPLE = Path.of("samples", "train_gpt.pickle.xz");
  private static final List<String> FIRST_SCREEN =
      List.of("h1", "#timeline", "#track", "#map", "#holders", "#failed", "#filter-stack");

  @TempDir private static Path folder;
  private static Browser browser;
  private static JsonNode answer;

  @BeforeAll
  static void view() {
    browser = Browser.start();
    Path page = folder.resolve("view.html");
    Path json = folder.resolve("view.json");
    CommandRun run = CommandRun.of("view", SAMPLE, "-o", page, "--json", json);
    assertEquals("", run.err());
    answer = new ObjectMapper().readTree(json.toFile()).at("/traces/0/results/0");
  }

  @AfterAll
  static void close() {
    if (browser != null) {
      browser.close();
    }
  }

  private static void open(String fragment) {
    browser.resize(1400, 900);
    browser.run("location.href = 'about:blank'");
    browser.open(folder.resolve("view.html"), fragment);
    assertEquals(List.of(), browser.complaints());
  }

  private static JsonNode box(String selector) {
    return browser.json(
        "document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector);
  }

  @Test
  void theFirstScreenShowsVerdictTimelineMapAndLinesWithoutScrolling() {
    open("");
    for (String theme : List.of("light", "dark")) {
      browser.choose("#theme", theme);
      for (String selector : FIRST_SCREEN) {
        JsonNode box = box(selector);
        assertTrue(browser.find(selector).isDisplayed(), selector);
        assertTrue(box.get("top").asDouble() >= 0, selector + ": " + box);
        boolean scrollsItself = selector.equals("#failed");
        assertTrue(
            scrollsItself || box.get("bottom").asDouble() <= 900, selector + " ends at " + box);
        assertTrue(box.get("right").asDouble() <= 1400, selector + ": " + box);
      }
      assertTrue(box(".side").get("bottom").asDouble() <= 900, "the side panel ends in sight");
    }
    assertTrue(box("#timeline").get("width").asDouble() > 1300, "over the whole width");
    assertEquals("", browser.find("#table").getText(), "no table of one row");
  }

  @Test
  void aTelephoneShowsOneColumnWithTheTimelineAfterTheVerdict() {
    open("");
    browser.resize(390, 844);
    double last = 0;
    for (String selector : List.of("h1", "#timeline", "#map", "#holders", "#failed")) {
      JsonNode box = box(selector);
      assertTrue(box.get("top").asDouble() > last, selector);
      assertTrue(box.get("right").asDouble() <= 390, selector + ": " + box);
      last = box.get("top").asDouble();
    }
    assertTrue(
        browser.json("document.documentElement.scrollWidth").asInt() <= 390, "no wider than it is");
  }

  @Test
  void itOpensAtTheFailureWithTheFailedRequestOnTheMap() {
    open("");
    long bytes = answer.get("first_failed_request_bytes").asLong();
    assertTrue(
        browser.text("h1").startsWith("Out of memory: small-gpt/train_gpt.py:63 loss_of"),
        browser.text("h1"));
    assertEquals(bytes, browser.json("allocsim.explorer.map.failed[0]").asLong());
    JsonNode drawn =
        browser.json(
            "(map => ({lines: map.failedLines() - 1, needed: map.failed[0] / map.bytesPerLine()}))"
                + "(allocsim.explorer.map)");
    assertEquals(
        Math.ceil(drawn.get("needed").asDouble()), drawn.get("lines").asDouble(), "to its scale");
    assertTrue(
        browser.text("#failed").contains("Failed here: small-gpt/train_gpt.py:63 loss_of"),
        browser.text("#failed"));
    assertEquals("failed", browser.text("#holders .failed-tag"));
    browser.type("#timeline", "p");
    assertFalse(browser.find("#failed").isDisplayed(), "no request fails at the peak");
    assertEquals("null", browser.json("allocsim.explorer.map.failed").toString());
  }

  @Test
  void theFiguresStandOnce() {
    open("");
    JsonNode shown =
        browser.json(
            "Object.fromEntries([...document.querySelectorAll('#figures dd')].map(dd =>"
                + " [dd.dataset.key, JSON.parse(dd.dataset.value)]))");
    assertTrue(shown.size() > 5, shown.toString());
    for (var figure : shown.properties()) {
      JsonNode expected = answer.get(figure.getKey());
      if (expected.isNumber()) {
        assertEquals(expected.doubleValue(), figure.getValue().doubleValue(), 0, figure.getKey());
      }
    }
    assertFalse(browser.find("#table").isDisplayed());
  }

  @Test
  void aLineHasTheSameColourInTimelineMapAndList() {
    open("");
    browser.until("Boolean(allocsim.explorer.layers.drawn)");
    JsonNode rows =
        browser.json(
            "[...document.querySelectorAll('#holders tr')].map(row => ({name: row.dataset.name,"
                + " colour: row.querySelector('.swatch').style.getPropertyValue('--swatch')}))");
    assertEquals(10, rows.size());
    int compared = 0;
    for (JsonNode row : rows) {
      String colour = row.get("colour").asString().replaceAll("var\\((.*)\\)", "$1");
      JsonNode inMap =
          browser.json(
              "(({trace, layout, map}, name) => [...new Set(Array.from(layout.blocks).filter(b =>"
                  + " trace.lineName(b) === name).map(b => map.colourName(b)))])"
                  + "(allocsim.explorer, arguments[0])",
              row.get("name").asString());
      assertEquals("[\"" + colour + "\"]", inMap.toString(), row.toString());
      JsonNode layer =
          browser.json(
              "(({layers}, name) => layers.colours[layers.names.indexOf(name)] ?? null)"
                  + "(allocsim.explorer.layers.drawn, arguments[0])",
              row.get("name").asString());
      if (!layer.isNull()) {
        assertEquals(colour, layer.asString(), row.toString());
        compared++;
      }
    }
    assertTrue(compared >= 8, compared + " lines are layers of the timeline");
  }

  @Test
  void stepsAndPhasesStandOnTheAxis() {
    open("");
    JsonNode marks = browser.json("allocsim.explorer.trace.about");
    JsonNode steps =
        new ObjectMapper()
            .readTree(CommandRun.of("leaks", SAMPLE, "--json", "-").out())
            .at("/iterations/count");
    assertEquals(steps.asInt() + 1, marks.at("/steps/begins").size());
    List<String> names =
        marks.get("phases").valueStream().map(phase -> phase.get(0).asString()).distinct().toList();
    assertEquals(List.of("forward", "backward", "optimizer"), names);
    long before = -1;
    for (JsonNode phase : marks.get("phases")) {
      assertTrue(before <= phase.get(1).asLong(), "phases overlap: " + phase);
      before = phase.get(2).asLong();
    }
    WebElement track = browser.find("#track canvas");
    assertTrue(
        track.getDomAttribute("aria-label").contains("9 steps; phases: forward, backward"),
        track.getDomAttribute("aria-label"));
    browser.run("allocsim.explorer.track.onZoom(100, 200)");
    assertEquals(
        "{\"from\":100,\"to\":200}", browser.json("allocsim.explorer.timeline.view").toString());
  }

  @Test
  void theAxisByTimePlacesEveryEventAtItsTime() {
    open("#axis=time&at=8190");
    JsonNode placed =
        browser.json(
            "(({timeline: {axis}, trace}) => [0, 1, 100, 8190, trace.events - 1].map(at =>"
                + " ({at, back: axis.event(axis.place(at)), off: Math.abs(axis.place(at) -"
                + " trace.nanos(at)) / axis.place(trace.events)})))(allocsim.explorer)");
    for (JsonNode each : placed) {
      assertEquals(each.get("at").asDouble(), each.get("back").asDouble(), 1e-3);
      assertTrue(each.get("off").asDouble() < 1e-5, each.toString());
    }
    JsonNode kept = browser.json("allocsim.explorer.timeline.view");
    browser.run("allocsim.explorer.timeline.zoom(0.25, 8190); allocsim.explorer.timeline.pan(0.1)");
    JsonNode view = browser.json("allocsim.explorer.timeline.view");
    assertTrue(view.get("from").asDouble() < 8190 && 8190 < view.get("to").asDouble());
    browser.choose("#axis", "event");
    browser.run("allocsim.explorer.timeline.reset()");
    assertEquals(kept, browser.json("allocsim.explorer.timeline.view"));
    assertEquals("8190", browser.find("#position").getDomProperty("value"));
  }

  private static int found(String text) {
    browser.run("document.getElementById('filter-stack').value = ''");
    browser.type("#filter-stack", text);
    browser.until(
        "allocsim.explorer.filter.text === document.getElementById('filter-stack').value.trim()"
            + " && (allocsim.explorer.filtered !== null"
            + " || document.getElementById('filter-stack').value.trim() === '')");
    return browser.json("Number(document.getElementById('matches').dataset.blocks)").asInt();
  }

  @Test
  void theSearchFiltersAsOneTypesWithWhatCommandsPrint() {
    open("");
    int all = browser.json("allocsim.explorer.trace.birth.length").asInt();
    int ofLine = found("small-gpt/train_gpt.py:34 forward");
    assertTrue(0 < ofLine && ofLine < all, ofLine + " of " + all);
    assertEquals(ofLine, found("File \"/home/me/small-gpt/train_gpt.py\", line 34, in forward"));
    assertTrue(found("modules/linear.py") > 0, "frames inside of libraries");
    assertEquals(1, found("request 6\u202f836"));
    assertEquals(1, found("6836"));
    assertTrue(found("1.46 GiB") > 0);
    assertTrue(found("optimizer state") > 0);
    assertTrue(found("stream 0x0") > 0);
    assertEquals(0, found("no such line"));
    assertEquals("nothing found", browser.text("#matches"));
    browser.type("#filter-stack", Keys.chord(Keys.CONTROL, "a"), "request 6836", Keys.ENTER);
    browser.until("allocsim.explorer.filter.text === 'request 6836'");
    assertEquals(
        browser.json("allocsim.explorer.run.about.moments.first_oom").asString(),
        browser.find("#position").getDomProperty("value"),
        "Enter goes to the request");
    browser.click("#filter-clear");
    assertFalse(browser.find("#matches").isDisplayed());
  }

  @Test
  void anAddressThatPinsPrintsIsFound() {
    CommandRun blockers = CommandRun.of("blockers", SAMPLE, "--all");
    assertEquals(ExitCodes.DONE, blockers.exitCode(), blockers.err());
    Matcher address = Pattern.compile("0x[0-9a-f]{6,}").matcher(blockers.out());
    assertTrue(address.find(), blockers.out());
    open("");
    assertTrue(found(address.group()) > 0, address.group());
  }

  @Test
  void aClickOnALineOfTheListShowsOnlyItsBlocks() {
    open("");
    JsonNode first =
        browser.json(
            "(row => ({name: row.dataset.name, bytes: Number(row.dataset.bytes)}))"
                + "(document.querySelector('#holders tr'))");
    browser.click("#holders tr button");
    browser.until("allocsim.explorer.filtered !== null");
    assertEquals(
        "line " + first.get("name").asString(),
        browser.find("#filter-stack").getDomProperty("value"));
    assertEquals(1, browser.all("#holders tr").size());
    assertEquals(
        first.get("bytes"),
        browser.json("Number(document.querySelector('#holders tr').dataset.bytes)"));
    browser.click("#holders tr button");
    assertEquals("", browser.find("#filter-stack").getDomProperty("value"));
    assertEquals(10, browser.all("#holders tr").size());
  }

  @Test
  void whatIsHeldIsListedByLineCategoryOrStack() {
    open("");
    double total = browser.json("allocsim.explorer.layout.totals().inUse").asDouble();
    for (String by : List.of("category", "stack")) {
      browser.choose("#group-by", by);
      JsonNode rows =
          browser.json(
              "[...document.querySelectorAll('#holders tr')].map(row =>"
                  + " Number(row.dataset.bytes))");
      double sum = rows.valueStream().mapToDouble(JsonNode::asDouble).sum();
      assertTrue(sum <= total && sum > 0.9 * total, by + ": " + sum + " of " + total);
    }
  }
}
