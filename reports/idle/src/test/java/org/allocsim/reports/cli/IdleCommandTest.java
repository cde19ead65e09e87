package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.idle.ProfileText;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class IdleCommandTest {
  @TempDir private Path folder;

  private Path profile;

  @BeforeEach
  void writeProfile() throws IOException {
    ProfileText text = new ProfileText();
    for (int step = 0; step < 5; step++) {
      int at = 10_000 * step;
      text.step(step, at, at + 10_000)
          .load(true, at, at + 8_000)
          .kernel("gemm", 7, at + 8_000, at + 8_010, at + 8_010, at + 9_900);
    }
    profile = text.write(folder.resolve("trace.json"));
  }

  /** A rank whose GPU computes for so long and then communicates until 900 µs. */
  private static ProfileText rank(int number, int computedAt) {
    return new ProfileText()
        .header("\"distributedInfo\": {\"rank\": %d, \"world_size\": 2}".formatted(number))
        .step(1, 0, 1_000)
        .kernel("gemm", 7, 0, 1, 2, computedAt)
        .kernel("ncclDevKernel_AllReduce", 8, 3, 4, computedAt, 900);
  }

  @Test
  void theAnswerComesFirst() {
    CommandRun run = CommandRun.of("idle", profile);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertEquals(
        "The GPU is idle 81.1 % of each recorded step (8.11 ms of 10.0 ms): 80.0 % waiting for data"
            + " (DataLoader).",
        run.out().replaceAll("\\s+", " ").replaceAll("(?<=\\.) - .*", ""));
  }

  @Test
  void whatWaitsForDataIsToldHowToAskForWorkers() throws IOException {
    Path workers = loading(false).write(folder.resolve("workers.json"));
    String unknown = CommandRun.of("idle", workers).out().replaceAll("\\s+", " ");
    assertTrue(
        unknown.contains(
            "Next: 'allocsim idle %s --workers N' predicts other numbers of workers"
                .formatted(workers)),
        unknown);
    for (List<Object> line :
        List.of(List.<Object>of(profile), List.<Object>of(workers, "--workers", 1))) {
      List<Object> words = new ArrayList<>(List.of("idle"));
      words.addAll(line);
      String known = CommandRun.of(words.toArray()).out().replaceAll("\\s+", " ");
      assertTrue(
          known.contains(
              "Next: 'allocsim idle %s --what-if workers=N' predicts another number of workers."
                  .formatted(line.getFirst())),
          known);
    }
  }

  private static ProfileText loading(boolean isHere) {
    ProfileText text = new ProfileText();
    for (int step = 0; step < 6; step++) {
      int at = 10_000 * step;
      text.step(step, at, at + 10_000)
          .load(isHere, at, at + 8_000)
          .kernel("gemm", 7, at + 8_000, at + 8_010, at + 8_010, at + 9_900);
    }
    return text;
  }

  @Test
  void aMistypedChangeHasASuggestion() {
    CommandRun pinned = CommandRun.of("idle", profile, "--what-if", "pined");
    assertEquals(ExitCodes.USAGE, pinned.exitCode());
    assertEquals(
        "allocsim: --what-if: 'pined' is not a change; did you mean 'pinned'?\n", pinned.err());
    CommandRun workers = CommandRun.of("idle", profile, "--what-if", "pinned,worker=4");
    assertEquals(
        "allocsim: --what-if: 'worker=4' is not a change; did you mean 'workers'?\n",
        workers.err());
  }

  @Test
  void theMeanIsShownAndIsNoFurtherStep() throws IOException {
    String five = CommandRun.of("idle", profile).out();
    assertFalse(five.contains("more step"), five);
    assertTrue(five.contains("\nmean "), five);
    Path file = loading(false).write(folder.resolve("six.json"));
    String six = CommandRun.of("idle", file).out();
    assertTrue(six.contains("\n1 more step; --json FILE has all."), six);
    assertTrue(six.contains("\nmean "), six);
    String every = CommandRun.of("idle", file, "--all").out();
    assertFalse(every.contains("more step"), every);
  }

  @Test
  void aSmallGainIsNotCalledTheBest() throws IOException {
    ProfileText text = new ProfileText();
    for (int step = 0; step < 5; step++) {
      int at = 10_000 * step;
      text.step(step, at, at + 10_000)
          .load(true, at, at + 300)
          .kernel("gemm", 7, at + 300, at + 310, at + 310, at + 9_990);
    }
    Path file = text.write(folder.resolve("busy.json"));
    String out = CommandRun.of("idle", file, "--what-if", "workers=2").out();
    assertFalse(out.contains("Predicted best"), out);
    assertTrue(
        out.contains("No change of the program is predicted to save more than 5.0 % of"), out);
  }

  @Test
  void itIsSaidHowManyOfTheGapsTheJsonHas() throws IOException {
    ProfileText text = new ProfileText();
    for (int step = 0; step < 3; step++) {
      int at = 100_000 * step;
      text.step(step, at, at + 100_000);
      for (int kernel = 0; kernel < 1_000; kernel++) {
        int begin = at + 100 * kernel;
        text.kernel("k" + kernel % 2, 7, begin, begin + 1, begin + 40, begin + 50);
      }
    }
    Path file = text.write(folder.resolve("gaps.json"));
    Path json = folder.resolve("gaps-answer.json");
    CommandRun run = CommandRun.of("idle", file, "--json", json);
    JsonNode answer = JsonMapper.builder().build().readTree(Files.readString(json));
    long count = answer.get("gap_count").asLong();
    assertEquals(1_000, answer.get("gaps").size());
    assertTrue(count > 1_000, answer.get("causes").toString());
    assertTrue(run.out().contains("\n995 more gaps; --json FILE has all.\n"), run.out());
    String number = "%,d".formatted(count).replace(',', ' ');
    String kept = "Of %s gaps, the longest 1 000 are kept.".formatted(number);
    assertTrue(run.out().contains(kept), run.out());
    String every = CommandRun.of("idle", file, "--all").out();
    assertFalse(every.contains("more gaps"), every);
    assertTrue(every.contains(kept), every);
    assertTrue(every.lines().count() > 1_000, every);
  }

  @Test
  void theJsonAddsUpAndHasThePredictions() throws IOException {
    Path json = folder.resolve("idle.json");
    CommandRun run = CommandRun.of("idle", profile, "--what-if", "workers=4", "--json", json);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    JsonNode answer = JsonMapper.builder().build().readTree(Files.readString(json));
    assertEquals("allocsim-idle-3", answer.get("schema").asString());
    long idle = 0;
    for (JsonNode cause : answer.get("causes")) {
      idle += cause.get("idle_nanos").asLong();
    }
    assertEquals(answer.get("total").get("idle_nanos").asLong(), idle);
    assertEquals(0, answer.get("replay_error_nanos").asLong());
    assertEquals(2, answer.get("what_if").size());
    assertEquals("workers=4", answer.get("what_if").get(1).get("change").asString());
  }

  @Test
  void peaksOfMemoryAreShownWhereTheProfileHasThem() throws IOException {
    ProfileText text = new ProfileText();
    for (int step = 0; step < 3; step++) {
      int at = 10_000 * step;
      text.step(step, at, at + 10_000)
          .memory(0, at + 10, 32 << 20, 0x1000, 32 << 20, 40 << 20)
          .kernel("gemm", 7, at + 100, at + 110, at + 120, at + 9_900)
          .memory(0, at + 200, -(32 << 20), 0x1000, 0, 40 << 20);
    }
    Path file = text.write(folder.resolve("memory.json"));
    Path json = folder.resolve("idle.json");
    CommandRun run =
        CommandRun.of(
            "idle",
            file,
            "--what-if",
            "limit=16MiB",
            "--what-if",
            "graphs",
            "--what-if",
            "gpu=2x",
            "--json",
            json);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertTrue(
        run.out().contains("At most 40.00 MiB is reserved in the profile, and 32.00 MiB"),
        run.out());
    assertTrue(run.out().contains("With limit=16MiB, the program runs out of memory."), run.out());
    assertTrue(run.out().contains("not known"), run.out());
    JsonNode answer = JsonMapper.builder().build().readTree(Files.readString(json));
    assertEquals(40 << 20, answer.get("steps").get(1).get("peak_reserved_bytes").asLong());
    assertEquals(32 << 20, answer.get("modelled_peak_reserved_bytes").asLong());
    JsonNode limited = answer.get("what_if").get(1);
    assertTrue(limited.get("step_nanos").isNull());
    assertEquals(3, limited.get("failed_requests").asInt());
    assertTrue(answer.get("what_if").get(2).get("peak_reserved_bytes").isNull());
    assertEquals(40 << 20, answer.get("what_if").get(3).get("peak_reserved_bytes").asLong());
    CommandRun size = CommandRun.of("idle", file, "--what-if", "limit=16MB");
    assertEquals(ExitCodes.USAGE, size.exitCode());
    assertTrue(size.err().contains("--what-if: limit=16MB"), size.err());
  }

  @Test
  void aReportHasThePageItsTablesAndCharts() throws IOException {
    Path report = folder.resolve("report");
    CommandRun run = CommandRun.of("idle", profile, "--report", report);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    String page = Files.readString(report.resolve("idle.html"));
    assertEquals(
        3,
        page.split("<figure tabindex=\"0\" aria-label=", -1).length - 1,
        "a step, all steps, the changes");
    assertTrue(page.contains("ProfilerStep#2: the GPU is idle"), "the step is named");
    for (String name : List.of("idle-step", "idle-steps", "idle-changes")) {
      assertTrue(Files.exists(report.resolve(name + ".svg")), name);
      assertTrue(Files.exists(report.resolve(name + "-dark.png")), name);
    }
    assertTrue(
        Files.readString(report.resolve("idle-step.svg")).contains("idle: waiting for data, 8"),
        "the legend names the cause");
    assertEquals(
        6, Files.readAllLines(report.resolve("idle-steps.csv")).size(), "a heading and 5 steps");
    assertTrue(
        Files.readString(report.resolve("idle-changes.csv")).contains("workers=4"),
        "the changes are a table of their own");
  }

  @Test
  void chartsCanBeDrawnForAPaperOnAnAxisOfTimeOnly() throws IOException {
    Path charts = folder.resolve("charts");
    CommandRun run =
        CommandRun.of("idle", profile, "--charts", charts, "--figure", "one-column(to=5ms)");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    List<String> series = Files.readAllLines(charts.resolve("idle-step-series.csv"));
    assertTrue(series.size() > 500, "a row for each column of each part");
    CommandRun byEvent =
        CommandRun.of("idle", profile, "--charts", charts, "--figure", "slide(axis=event)");
    assertEquals(ExitCodes.USAGE, byEvent.exitCode());
    assertTrue(byEvent.err().contains("axis=event does not apply"), byEvent.err());
  }

  @Test
  void ranksAreDrawnSideBySide() throws IOException {
    Path ranks = Files.createDirectory(folder.resolve("ranks"));
    rank(0, 300).write(ranks.resolve("rank0.json"));
    rank(1, 800).write(ranks.resolve("rank1.json"));
    Path report = folder.resolve("report");
    CommandRun run = CommandRun.of("idle", ranks, "--report", report);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    String chart = Files.readString(report.resolve("idle-ranks.svg"));
    assertTrue(chart.contains("rank 1") && chart.contains("communicates"), "both ranks");
  }

  @Test
  void theStragglerIsTheRankThatCommunicatesLeast() throws IOException {
    Path ranks = Files.createDirectory(folder.resolve("ranks"));
    rank(0, 300).write(ranks.resolve("rank0.json"));
    rank(1, 800).write(ranks.resolve("rank1.json"));
    CommandRun run = CommandRun.of("idle", ranks);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertTrue(
        run.out()
            .replaceAll("\\s+", " ")
            .contains(
                "rank 1 is the straggler: rank 0 communicates 600.0 µs of each step, it 100.0 µs."),
        run.out());
  }

  @Test
  void equalRanksWaitForNobody() throws IOException {
    Path ranks = Files.createDirectory(folder.resolve("ranks"));
    rank(0, 300).write(ranks.resolve("rank0.json"));
    rank(1, 300).write(ranks.resolve("rank1.json"));
    CommandRun run = CommandRun.of("idle", ranks);
    assertTrue(run.out().contains("no rank makes the others wait"), run.out());
  }

  @Test
  void diagnoseSaysWhyTheGpuOfAProfileIsIdle() throws IOException {
    ProfileText text = new ProfileText();
    for (int step = 0; step < 5; step++) {
      int at = 10_000 * step;
      text.step(step, at, at + 10_000)
          .load(true, at, at + 8_000)
          .memory(0, at + 8_001, 32 << 20, 0x1000, 32 << 20, 40 << 20)
          .kernel("gemm", 7, at + 8_000, at + 8_010, at + 8_010, at + 9_900)
          .memory(0, at + 9_000, -(32 << 20), 0x1000, 0, 40 << 20);
    }
    Path file = text.write(folder.resolve("memory.json"));
    Path json = folder.resolve("diagnosis.json");
    CommandRun run = CommandRun.of("diagnose", file, "--json", json);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertTrue(
        run.out()
            .replaceAll("\\s+", " ")
            .contains(
                "The GPU is idle 81.1 % of each recorded step, mainly due to waiting for data"
                    + " (DataLoader, 80.0 %); 'allocsim idle "
                    + file
                    + "' shows more."),
        run.out());
    JsonNode answer = JsonMapper.builder().build().readTree(Files.readString(json));
    assertEquals("data", answer.findValue("gpu_idle_cause").asString());
    assertTrue(answer.findValue("gpu_idle_ratio").asDouble() > 0.81, answer::toString);
  }

  @Test
  void anotherRecordingPredictsAThirdBatch() throws IOException {
    ProfileText text = new ProfileText();
    for (int step = 0; step < 5; step++) {
      int at = 12_000 * step;
      text.step(step, at, at + 12_000)
          .load(true, at, at + 8_000)
          .kernel("gemm", 7, at + 8_000, at + 8_010, at + 8_010, at + 11_900);
    }
    Path twice = text.write(folder.resolve("twice.json"));
    CommandRun run =
        CommandRun.of("idle", profile, "--other-batch", "2x=" + twice, "--what-if", "batch=4x");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertTrue(run.out().contains("batch=4x"), run.out());
    CommandRun mistyped = CommandRun.of("idle", profile, "--other-batch", twice);
    assertEquals(ExitCodes.USAGE, mistyped.exitCode());
    assertTrue(mistyped.err().contains("is not RATIO=PROFILE"), mistyped.err());
    CommandRun same = CommandRun.of("idle", profile, "--other-batch", "1=" + twice);
    assertTrue(same.err().contains("has the same batch"), same.err());
    CommandRun itself = CommandRun.of("idle", profile, "--other-batch", "2x=" + profile);
    assertEquals(ExitCodes.USAGE, itself.exitCode());
    assertTrue(itself.err().contains("is the profile itself"), itself.err());
    CommandRun none = CommandRun.of("idle", profile, "--what-if", "batch=4x");
    assertEquals(ExitCodes.USAGE, none.exitCode());
    assertTrue(none.err().contains("--other-batch 0.5x=FILE"), none.err());
  }

  @Test
  void impossibleChangesAreMistakes() {
    CommandRun unknown = CommandRun.of("idle", profile, "--what-if", "faster");
    assertEquals(ExitCodes.USAGE, unknown.exitCode());
    assertTrue(
        unknown.err().startsWith("allocsim: --what-if: 'faster' is not a change;"), unknown.err());
    CommandRun many = CommandRun.of("idle", profile, "--workers", "65");
    assertEquals(ExitCodes.USAGE, many.exitCode());
    assertTrue(many.err().contains("--workers 65 must be from 0 to 64"), many.err());
  }

  @Test
  void whatIsNoProfileIsRefusedWithASentence() throws IOException {
    Path empty = Files.createDirectory(folder.resolve("empty"));
    CommandRun run = CommandRun.of("idle", empty);
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().contains("no profile in it"), run.err());
    Path host = new ProfileText().step(1, 0, 1).write(folder.resolve("host.json"));
    CommandRun withoutGpu = CommandRun.of("idle", host);
    assertEquals(ExitCodes.FAILED, withoutGpu.exitCode());
    assertTrue(withoutGpu.err().contains("it shows no work of a GPU"), withoutGpu.err());
    assertFalse(withoutGpu.err().contains("Exception"), withoutGpu.err());
  }
}
