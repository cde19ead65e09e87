package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.answer.compare.CompareAnswer;
import org.allocsim.reports.answer.compare.ComparedTrace;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.render.JsonRenderer;
import org.allocsim.reports.html.ReportPage;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.question.page.RecordedTrial;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.source.TraceSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Pages about long traces stay small enough to open and quick enough to pan. */
class LongTracePageTest {
  private static final int LIVE = 4000;

  private static final String MANY =
      "pytorch,pytorch(conf=expandable_segments:True),cub,cupy,cuda-async,direct,rmm-pool,bfc,"
          + "mxnet-round,umpire-quick,slab,max-live";

  /**
   * How many times slower than an idle machine this one may be: {@code -Dallocsim.patience=1} holds
   * the page to its times. By default none are held, as builds run beside other work; what a frame
   * draws is counted instead.
   */
  private static final double PATIENCE =
      Double.parseDouble(System.getProperty("allocsim.patience", "Infinity"));

  /** Calls of a canvas in one frame: a few for each pixel or live block, none for each event. */
  private static final double MAX_DRAWINGS = 20_000;

  private static final double MAX_FRAME_MILLIS = 33 * PATIENCE;
  private static final double MAX_OPENING_MILLIS = 3000 * PATIENCE;
  private static final double MAX_STALL_MILLIS = 500 * PATIENCE;

  /** Keeps for how long the page did not answer its reader, of each time that it did not. */
  private static final String STALLS =
      "globalThis.stalls = []; new PerformanceObserver((list) => stalls.push("
          + "...list.getEntries().map(({duration}) => duration)))"
          + ".observe({type: 'longtask', buffered: true});";

  /** Counts the calls that draw on a canvas. */
  private static final String DRAWINGS =
      """
      globalThis.drawings = 0;
      for (const name of ['fillRect', 'strokeRect', 'clearRect', 'rect', 'moveTo', 'lineTo', 'arc',
          'fill', 'stroke', 'fillText', 'strokeText', 'drawImage', 'putImageData']) {
        const own = CanvasRenderingContext2D.prototype[name];
        CanvasRenderingContext2D.prototype[name] = function (...all) {
          drawings++;
          return own.apply(this, all);
        };
      }
      """;

  private static final int FRAMES = 45;

  @TempDir private Path folder;

  /** A program that keeps some thousand blocks and replaces one after the other. */
  private static AllocationTrace trace(int events) {
    SplittableRandom random = new SplittableRandom(7);
    StackTable.Builder stacks = new StackTable.Builder();
    int[] numbers = new int[40];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = stacks.stack(stacks.frame("model/layer" + i + ".py", 10 + i, "forward"));
    }
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    int[] live = new int[LIVE];
    for (int event = 0, i = 0; event < events; i++) {
      int slot = i < LIVE ? i : (int) Math.min(LIVE - 1.0, Math.abs(random.nextGaussian()) * 900);
      if (i >= LIVE) {
        builder.at(0, event++ * 1000L, 0).free(live[slot]);
      }
      long bytes = 512L << random.nextInt(13);
      live[slot] =
          builder
              .at(0, event++ * 1000L, numbers[slot % numbers.length])
              .allocate(bytes + random.nextInt(64) * 16L, 0, PoolId.DEFAULT);
    }
    return builder.build(stacks.build());
  }

  private Path page(List<AllocationTrace> traces, String policies) throws Exception {
    List<ComparedTrace> compared = new ArrayList<>();
    List<TraceRecording> recordings = new ArrayList<>();
    for (AllocationTrace trace : traces) {
      String name = "long" + compared.size();
      Program program =
          Program.open(
              TraceSource.of(name, trace).source(),
              Conditions.RECORDED.on(DeviceProfiles.defaultProfile()));
      RecordedTrial recorded = new RecordedTrial(program, true);
      ComparedTrace each =
          ComparedTrace.of(
              program, null, recorded.runAll(PolicyChoice.parseList(policies), (_, _) -> {}));
      compared.add(each);
      recordings.add(recorded.recording(each.results(), null));
    }
    Document<CompareAnswer> document = new CompareAnswer(compared).document();
    Path file = folder.resolve("long.html");
    try (OutputStream out = Files.newOutputStream(file)) {
      new ReportPage(document, JsonRenderer.json(document), recordings).write(out);
    }
    return file;
  }

  /**
   * Draws frames while something moves a little in each; answers the median from one to the next,
   * how many were drawn, and the calls of a canvas in one of them.
   */
  private static JsonNode frames(Browser browser, String drawn, String move) {
    return browser.json(
        "arguments[0]",
        browser.await(
            """
            const done = arguments[0];
            %1$s.frames.length = 0;
            const before = drawings;
            const times = [];
            const median = (all) => all.slice().sort((a, b) => a - b)[all.length >> 1];
            const frame = (time) => {
              times.push(time);
              if (times.length > %3$d) {
                const gaps = times.slice(1).map((each, i) => each - times[i]);
                const count = %1$s.frames.length;
                done({gap: median(gaps), count, drawn: (drawings - before) / count});
                return;
              }
              const i = times.length;
              %2$s;
              requestAnimationFrame(frame);
            };
            requestAnimationFrame(frame);
            """
                .formatted(drawn, move, FRAMES)));
  }

  /** One policy suffices: frames cost the same whichever is shown. */
  @Test
  void fiveMillionEventsOpenAndEachFrameDrawsForItsPixels() throws Exception {
    try (Browser browser = Browser.start()) {
      AllocationTrace trace = trace(5_000_000);
      Path file = page(List.of(trace), "pytorch");
      browser.beforeEachPage(STALLS + DRAWINGS);
      double opened = openedMillis(browser, file);
      assertTrue(opened < MAX_OPENING_MILLIS, opened + " ms");
      assertEquals(List.of(), browser.complaints());
      assertEquals(trace.eventCount(), browser.json("allocsim.explorer.trace.events").asInt());
      browser.await("const done = arguments[0]; allocsim.explorer.completed.then(done)");
      assertTrue((boolean) browser.run("return allocsim.explorer.run.isWhole"));
      assertTrue((boolean) browser.run("return document.getElementById('kept').hidden"));
      assertNoStall(browser);
      browser.until("Boolean(allocsim.explorer.layers.drawn)");
      assertEquals(
          browser.json("allocsim.explorer.run.series.requested.peak()").asLong(),
          browser
              .json(
                  "(({sums, pixels, layers}) => Math.max(...Array.from({length: pixels}, (_, x) =>"
                      + " layers.names.reduce((sum, _, i) => sum + sums[i * (pixels + 1) + x],"
                      + " 0))))(allocsim.explorer.layers.drawn)")
              .asLong(),
          "layers reach what the program asked for at its peak, and no more");
      String timeline = "allocsim.explorer.timeline";
      for (double share : new double[] {1.0, 0.02, 0.0005}) {
        browser.run(timeline + ".reset(); " + timeline + ".zoom(" + share + ")");
        browser.settle();
        JsonNode panned = frames(browser, timeline, timeline + ".pan(i % 40 < 20 ? 0.02 : -0.02)");
        assertFrame(panned, "share " + share);
      }
      JsonNode moved =
          frames(
              browser,
              "allocsim.explorer.map",
              "allocsim.explorer.moveTo(allocsim.explorer.cursor + 1001)");
      assertFrame(moved, "map");
    }
  }

  private static void assertFrame(JsonNode frame, String about) {
    assertTrue(frame.get("drawn").asDouble() > 0, about + ": " + frame);
    assertTrue(frame.get("drawn").asDouble() < MAX_DRAWINGS, about + ": " + frame);
    assertTrue(frame.get("gap").asDouble() < MAX_FRAME_MILLIS, about + ": " + frame);
  }

  @Test
  void eightRanksOfAMillionEventsOpen() throws Exception {
    try (Browser browser = Browser.start()) {
      AllocationTrace rank = trace(1_000_000);
      Path file = page(Collections.nCopies(8, rank), "pytorch");
      browser.beforeEachPage(STALLS);
      double opened = openedMillis(browser, file);
      assertTrue(opened < MAX_OPENING_MILLIS, opened + " ms");
      browser.await("const done = arguments[0]; allocsim.explorer.completed.then(done)");
      assertNoStall(browser);
      browser.await("const done = arguments[0]; allocsim.open(7).then(done)");
      browser.await("const done = arguments[0]; allocsim.explorer.completed.then(done)");
      assertNoStall(browser);
      assertEquals(7, browser.json("allocsim.explorer.number").asInt());
      assertTrue((boolean) browser.run("return allocsim.explorer.run.isWhole"));
    }
  }

  private static void assertNoStall(Browser browser) {
    JsonNode longest = browser.json("Math.max(0, ...stalls)");
    assertTrue(longest.asDouble() <= MAX_STALL_MILLIS, longest + " ms");
  }

  @Test
  void aPageAboutAQuarterOfAMillionEventsIsSmall() throws Exception {
    try (Browser browser = Browser.start()) {
      Path file = page(List.of(trace(250_000)), MANY);
      assertTrue(Files.size(file) < 5_000_000, Files.size(file) + " bytes");
      double opened = openedMillis(browser, file);
      assertTrue(opened < MAX_OPENING_MILLIS, opened + " ms");
      checkRunsOfWhichOnlyMomentsAreKept(browser);
    }
  }

  /** The shortest of a few attempts, as the machine may have other things to do. */
  private static double openedMillis(Browser browser, Path file) {
    double lowest = Double.MAX_VALUE;
    int attempts = 0;
    do {
      browser.open(file);
      lowest = Math.min(lowest, browser.json("allocsim.openedMillis").asDouble());
    } while (lowest >= MAX_OPENING_MILLIS && ++attempts < 8);
    return lowest;
  }

  private static void checkRunsOfWhichOnlyMomentsAreKept(Browser browser) {
    JsonNode rows =
        browser.json("allocsim.data.traces[0].runs.filter(run => !run.whole).map(run => run.row)");
    assertTrue(rows.size() > 0, "all runs fit; the test needs a longer trace");
    for (JsonNode row : rows) {
      browser.await("const done = arguments[0]; allocsim.explorer.openRun(" + row + ").then(done)");
      assertTrue(browser.find("#kept").isDisplayed());
      browser.run("allocsim.explorer.jump(allocsim.explorer.run.about.moments.peak)");
      browser.settle();
      JsonNode result = browser.json("allocsim.explorer.rows[" + row + "]");
      JsonNode totals = browser.json("allocsim.explorer.layout.totals()");
      assertEquals(result.get("peak_reserved_bytes"), totals.get("held"), row.toString());
      assertEquals(result.get("slack_at_peak_bytes"), totals.get("free"), result.toString());
      for (String series : List.of("reserved", "allocated", "requested")) {
        assertEquals(
            result.get("peak_" + series + "_bytes"),
            browser.json("allocsim.explorer.run.series." + series + ".peak()"),
            series);
      }
    }
  }
}
