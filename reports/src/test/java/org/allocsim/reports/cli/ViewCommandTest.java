package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.analysis.attribution.Category;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The page of {@code view}: which files it takes, and what a reader does with it. */
class ViewCommandTest {
  @TempDir private static Path folder;
  private static Browser browser;
  private static CommandRun ranks;

  @BeforeAll
  static void view() throws IOException {
    Path job = Files.createDirectory(folder.resolve("job"));
    Files.copy(CommandRun.recording("device_oom.pickle.xz"), job.resolve("rank0.pickle.xz"));
    Files.copy(CommandRun.recording("cat_growth.pickle.xz"), job.resolve("rank1.pickle.xz"));
    Files.writeString(job.resolve("notes.txt"), "no trace\n");
    ranks = CommandRun.of("view", job, "--report", folder.resolve("ranks"));
    browser = Browser.start();
  }

  @AfterAll
  static void close() {
    if (browser != null) {
      browser.close();
    }
  }

  private static void open(String fragment) {
    // The same address with another fragment would not load the page again.
    browser.run("location.href = 'about:blank'");
    browser.open(folder.resolve("ranks/view.html"), fragment);
  }

  @Test
  void theAnswerEndsWithWhereThePageIs() {
    Path page = folder.resolve("ranks/view.html");
    assertTrue(ranks.out().endsWith("\n\nPage: " + page + "\n"), ranks.out());
    Path single = folder.resolve("single.html");
    String out =
        CommandRun.of("view", CommandRun.recording("cat_growth.pickle.xz"), "-o", single).out();
    assertTrue(out.endsWith("\n\nPage: " + single + "\n"), out);
  }

  @Test
  void theRanksOfAFolderAreNamedInTheOrderOfTheirNames() {
    assertEquals("", ranks.err());
    assertEquals(0, ranks.exitCode());
    String first = ranks.out().lines().findFirst().orElseThrow();
    assertTrue(first.contains("rank0.pickle.xz") && first.contains("rank1.pickle.xz"), first);
    assertEquals(
        List.of("view.csv", "view.html", "view.json"), CommandRun.files(folder.resolve("ranks")));
    open("");
    assertEquals(List.of(), browser.complaints());
    JsonNode names =
        browser.json("[...document.querySelectorAll('#trace option')].map(o => o.textContent)");
    assertEquals(2, names.size());
    assertTrue(names.get(0).asString().endsWith("rank0.pickle.xz"), names.toString());
    assertTrue(names.get(1).asString().endsWith("rank1.pickle.xz"), names.toString());
    assertFalse(browser.text("body").contains("null"));
    assertEquals("[]", browser.accessibilityFaults().toString());
  }

  @Test
  void aPageAloneIsThatOfTheFolder() throws IOException {
    Path file = CommandRun.recording("cat_growth.pickle.xz");
    Path alone = folder.resolve("alone.html");
    CommandRun run = CommandRun.of("view", file, "-o", alone);
    assertEquals("", run.err());
    CommandRun.of("view", file, "--report", folder.resolve("whole"));
    assertEquals(timeless(folder.resolve("whole/view.html")), timeless(alone));
    assertEquals(
        ExitCodes.USAGE, CommandRun.of("view", file, "-o", "a", "--report", "b").exitCode());
  }

  /** A page without the time that the replay took. */
  private static String timeless(Path page) throws IOException {
    return Files.readString(page)
        .replaceAll("\"(?:wall_seconds|requests_per_second)\" ?: ?[0-9.E]+", "")
        .replaceAll("[0-9.]+ M/s", "");
  }

  @Test
  void oneFileGetsItsPage() {
    Path out = folder.resolve("one");
    CommandRun run =
        CommandRun.of("view", CommandRun.recording("cat_growth.pickle.xz"), "--report", out);
    assertEquals("", run.err());
    assertTrue(run.out().startsWith("cat_growth.pickle.xz reserves "), run.out());
    assertEquals(List.of("view.csv", "view.html", "view.json"), CommandRun.files(out));
  }

  @Test
  void aTraceWithoutRequestsIsNamedBesideThoseThatAreShown() throws Exception {
    Path empty =
        Files.writeString(
            folder.resolve("empty.jsonl"), "{\"allocsim\":\"trace\",\"version\":1}\n");
    Path out = folder.resolve("whole");
    Path json = folder.resolve("beside.json");
    CommandRun run =
        CommandRun.of(
            "view",
            CommandRun.recording("cat_growth.pickle.xz"),
            empty,
            "--report",
            out,
            "--json",
            json);
    assertEquals("", run.err());
    assertEquals(0, run.exitCode());
    assertTrue(
        run.out().contains("empty.jsonl is not shown: it has no recorded requests."), run.out());
    JsonNode answer = new ObjectMapper().readTree(json);
    assertEquals(List.of(empty.toString()), List.of(answer.at("/without_requests/0").asString()));
    assertEquals(1, answer.get("traces").size());
  }

  private static JsonNode traces(Path report) {
    return new ObjectMapper().readTree(report.resolve("view.json").toFile()).get("traces");
  }

  @Test
  void everyGpuOfASnapshotIsShown() {
    Path all = folder.resolve("gpus");
    Path one = folder.resolve("gpu");
    Path file = CommandRun.recording("two_gpu.pickle.xz");
    CommandRun run = CommandRun.of("view", file, "--report", all);
    assertEquals("", run.err());
    assertTrue(run.out().startsWith("GPU 1 of two_gpu.pickle.xz reserves the most"), run.out());
    assertEquals(2, traces(all).size());
    CommandRun.of("view", file, "--device-index", "1", "--report", one);
    assertEquals(1, traces(one).size());
    assertEquals(
        traces(all).get(1).at("/results/0/peak_reserved_bytes"),
        traces(one).get(0).at("/results/0/peak_reserved_bytes"));
  }

  @Test
  void aFailedRequestHasTheNumberThatAnswersGive() {
    long number =
        traces(folder.resolve("ranks")).at("/0/results/0/first_failed_request_index").asLong();
    assertTrue(number > 0);
    open("");
    JsonNode shown =
        browser.json(
            "(({ trace, run }) => trace.requestAt(run.about.failures[0][0]))(allocsim.explorer)");
    assertEquals(", request " + number, shown.asString().replaceAll("[^a-z0-9, ]", ""));
  }

  @Test
  void aFolderWithoutTracesIsRefusedAlsoBesideAFile() throws IOException {
    Path empty = Files.createDirectory(folder.resolve("empty"));
    CommandRun run =
        CommandRun.of(
            "view",
            CommandRun.recording("cat_growth.pickle.xz"),
            empty,
            "--report",
            folder.resolve("none"));
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains("empty: the folder contains no trace"), run.err());
    assertFalse(Files.exists(folder.resolve("none")));
  }

  @Test
  void aLinkShowsTraceCursorAndLayers() {
    open("#trace=1&at=40&layer-by=allocation&flame-by=category");
    assertTrue(browser.json("allocsim.explorer.trace.about.name").asString().contains("rank1"));
    assertEquals("40", browser.find("#position").getDomProperty("value"));
    assertEquals("allocation", browser.find("#layer-by").getDomProperty("value"));
    assertEquals("allocation", browser.json("allocsim.explorer.layers.by").asString());
    assertEquals("category", browser.find("#flame-by").getDomProperty("value"));
  }

  @Test
  void aLinkWithAThemePlacesTheCursorToo() {
    open("#at=40");
    String place =
        "[...document.querySelectorAll('.time-cursor')].map(c => c.style.transform).join()";
    String wanted = browser.json(place).asString();
    open("#at=40&theme=dark");
    assertEquals(wanted, browser.json(place).asString());
    assertFalse(wanted.contains("translateX(0px)"), wanted);
  }

  @Test
  void aLinkWithWrongValuesIsPassedOver() {
    open("#trace=9&at=x&layer-by=nothing&block=99999999&frames=%7B");
    assertEquals(List.of(), browser.complaints());
    assertTrue(browser.json("allocsim.explorer.trace.about.name").asString().contains("rank0"));
    assertEquals("category", browser.find("#layer-by").getDomProperty("value"));
  }

  @Test
  void theSearchByAddressFindsTheEventsOfItsBlocksOnly() {
    open("#at=0");
    // An address inside the largest block, not where it begins.
    JsonNode wanted =
        browser.json(
            "(({run, trace}) => { let best = 0; for (let i = 0; i < trace.size.length; i++)"
                + " if (run.done[i] >= 0 && trace.size[i] > trace.size[best]) best = i;"
                + " return {birth: trace.birth[best], text: '0x' +"
                + " (BigInt(run.about.base_address) + BigInt(run.address[best]) + 1n)"
                + ".toString(16)}; })(allocsim.explorer)");
    browser.type("#filter-stack", wanted.get("text").asString(), Keys.ENTER);
    JsonNode shown =
        browser.json(
            "(({events, run}, address) => ({at: events.find(0, 1, 1e6),"
                + " wrong: events.find(0, 1, 1e6).filter(at => { const i = Math.abs(events.at[at])"
                + " - 1; return address < run.address[i] || address >= run.address[i] +"
                + " run.block[i]; })}))(allocsim.explorer, Number(BigInt(arguments[0]) -"
                + " BigInt(allocsim.explorer.run.about.base_address)))",
            wanted.get("text").asString());
    List<Integer> found = shown.get("at").valueStream().map(JsonNode::asInt).toList();
    assertTrue(found.contains(wanted.get("birth").asInt()), shown + " lacks " + wanted);
    assertEquals("[]", shown.get("wrong").toString());
    browser.run("allocsim.explorer.jump(0)");
    browser.click("#find-next");
    int next = found.stream().filter(at -> at > 0).findFirst().orElseThrow();
    assertEquals(String.valueOf(next), browser.find("#position").getDomProperty("value"));
  }

  @Test
  void theKeysNAndBGoToTheNextEventAndBack() {
    open("#at=10");
    List<Integer> after = List.of(position("n"), position("n"));
    assertTrue(10 < after.get(0) && after.get(0) < after.get(1), after.toString());
    assertEquals(after.get(0), position("b"));
  }

  private static int position(CharSequence key) {
    browser.type("#timeline", key);
    return Integer.parseInt(browser.find("#position").getDomProperty("value"));
  }

  @Test
  void theDifferenceOfTwoMomentsIsWhatOneHasAndTheOtherHasNot() {
    String held =
        "((at, other) => { const {trace, run} = allocsim.explorer; let bytes = 0;"
            + " const has = (i, t) => trace.birth[i] <= t && run.done[i] > t;"
            + " for (let i = 0; i < trace.birth.length; i++)"
            + " if (has(i, at) && !has(i, other)) bytes += run.block[i]; return bytes; })";
    open("#at=40&mark=10&flame-of=gained");
    long gained = browser.json("allocsim.explorer.flame.root.weight").asLong();
    assertEquals(browser.json(held + "(40, 10)").asLong(), gained);
    open("#at=40&mark=10&flame-of=given");
    long given = browser.json("allocsim.explorer.flame.root.weight").asLong();
    assertEquals(browser.json(held + "(10, 40)").asLong(), given);
    assertTrue(gained > 0 && given > 0, gained + " and " + given);
    assertTrue(browser.find("#difference").getText().contains("events 10 (marked) and 40"));
  }

  @Test
  void theKeyMMarksTheMomentOfTheCursor() {
    open("#at=40");
    browser.type("#timeline", "m");
    browser.type("#timeline", Keys.ARROW_RIGHT);
    assertEquals(40, browser.json("allocsim.explorer.mark").asInt());
    assertEquals("gained", browser.find("#flame-of").getDomProperty("value"));
  }

  /** Bytes that a run holds at a moment, by a block's category or all together. */
  private static final String HELD =
      "((trace, run, at, wanted) => { let bytes = 0;"
          + " for (let i = 0; i < trace.birth.length; i++)"
          + " if (trace.birth[i] <= at && run.done[i] > at"
          + " && (wanted === null || trace.categoryName(i) === wanted)) bytes += run.block[i];"
          + " return bytes; })";

  private static long held(String whose, String moment, String category) {
    return browser
        .json(
            "(({trace, run}) => %s(trace, run, run.about.moments.%s, %s))(%s)"
                .formatted(HELD, moment, category, whose))
        .asLong();
  }

  private static long number(String expression) {
    return browser.json(expression).asLong();
  }

  @Test
  void theDifferenceOfTwoRunsIsWhatOneHoldsMoreThanTheOther() {
    open("#trace=1&from-run=0.0");
    long before = held("allocsim.explorer.between.from", "peak", "null");
    long after = held("allocsim.explorer", "peak", "null");
    assertTrue(before > 0 && after > 0 && before != after, before + " and " + after);
    assertEquals(after - before, number(BETWEEN + ".sums.gained - " + BETWEEN + ".sums.given"));
    assertEquals(number(BETWEEN + ".sums.gained"), number(BETWEEN + ".flame.root.weight"));
    open("#trace=1&from-run=0.0&between-of=given&from-at=end&to-at=peak");
    assertEquals(number(BETWEEN + ".sums.given"), number(BETWEEN + ".flame.root.weight"));
    assertEquals(
        after - held("allocsim.explorer.between.from", "end", "null"),
        number(BETWEEN + ".sums.gained - " + BETWEEN + ".sums.given"));
    assertEquals("[]", browser.accessibilityFaults().toString());
  }

  private static final String BETWEEN = "allocsim.explorer.between";

  @Test
  void theTableOfTwoRunsHasEveryCategoryWithItsBytes() {
    Path report = folder.resolve("settings");
    Path sample = Path.of("samples", "train_gpt.pickle.xz");
    CommandRun.of("view", sample, "--confs", ";expandable_segments:True", "--report", report);
    browser.run("location.href = 'about:blank'");
    browser.open(report.resolve("view.html"), "#from-run=0.1&from-at=end&between-by=category");
    JsonNode rows =
        browser.json("[...document.querySelectorAll('#between-rows tr')].map(row => row.dataset)");
    assertTrue(rows.size() > 1, rows.toString());
    for (JsonNode row : rows) {
      String category = "'" + row.get("name").asString() + "'";
      assertEquals(
          held("allocsim.explorer", "peak", category)
              - held("allocsim.explorer.between.from", "end", category),
          row.get("change").asLong(),
          category);
    }
  }

  /** Rules that no stack of the recording would lead to, so that a page without them differs. */
  @Test
  void aPageKnowsTheRulesOfItsAnswer() throws IOException {
    Path rules = folder.resolve("rules.txt");
    Files.writeString(rules, "communication file train_gpt\\.py$\n");
    Path report = folder.resolve("ruled");
    CommandRun run =
        CommandRun.of(
            "peak",
            Path.of("samples", "train_gpt.pickle.xz"),
            "--of",
            "reserved",
            "--categories",
            rules,
            "--report",
            report);
    assertEquals("", run.err());
    browser.open(report.resolve("peak.html"));
    JsonNode answer = new ObjectMapper().readTree(Files.readString(report.resolve("peak.json")));
    assertEquals("communication", answer.at("/categories/0/category").asString());
    for (JsonNode row : answer.get("categories")) {
      String id = row.get("category").asString();
      Category category = Category.ofId(id).orElse(Category.UNKNOWN);
      assertEquals(
          row.get("allocated_bytes").asLong(),
          held("allocsim.explorer", "peak", "'" + category.label() + "'"),
          id);
    }
  }

  @Test
  void theDifferenceOfARunToItselfAtOneMomentIsNothing() {
    open("#from-run=0.0&from-at=cursor&to-at=cursor&at=40");
    assertEquals(
        "0 and 0",
        browser.json(BETWEEN + ".sums.gained + ' and ' + " + BETWEEN + ".sums.given").asString());
  }

  @Test
  void theKeyDKeepsTheRunAndMomentToCompareOthersWith() {
    open("#at=40");
    browser.type("#timeline", "d");
    browser.choose("#trace", "1");
    browser.until(
        "allocsim.explorer.number === 1 && !document.getElementById('between-shown').hidden");
    assertEquals("0.0", browser.find("#from-run").getDomProperty("value"));
    assertTrue(browser.text("#between").contains("after event 40;"), browser.text("#between"));
    browser.until("location.hash.includes('from-mark=40')");
    String address = browser.json("location.hash").asString();
    String sentence = browser.text("#between");
    open(address);
    assertEquals(sentence, browser.text("#between"));
  }

  @Test
  void aMomentThatARunLacksIsNamed() {
    open("#trace=1&from-run=0.0&from-at=mark");
    assertTrue(browser.text("#between").contains("no marked moment"), browser.text("#between"));
    assertFalse(browser.find("#between-shown").isDisplayed());
  }

  @Test
  void enterZoomsIntoAFrameOfTheFlameGraphAndEscapeBack() {
    open("#at=40");
    browser.run("document.querySelectorAll('#flame button')[1].focus()");
    browser.mouse().sendKeys(Keys.ENTER).perform();
    browser.settle();
    assertTrue(browser.json("allocsim.explorer.flame.path.length").asInt() > 0);
    browser.mouse().sendKeys(Keys.ESCAPE).perform();
    browser.settle();
    assertEquals(0, browser.json("allocsim.explorer.flame.path.length").asInt());
  }
}
