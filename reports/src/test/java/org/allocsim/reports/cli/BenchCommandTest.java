package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.answer.validation.BenchAnswer;
import org.allocsim.reports.answer.validation.BenchBaseline;
import org.allocsim.reports.document.render.JsonRenderer;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.validation.benchmark.Machine;
import org.allocsim.validation.benchmark.Measurement;
import org.allocsim.validation.benchmark.Samples;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class BenchCommandTest {
  private static final Machine HERE = Machine.here();

  @TempDir Path folder;

  private static Measurement measurement(String id, double cpuShare, Double... nanos) {
    return measurement(id, cpuShare, Double.NaN, List.of(nanos));
  }

  private static Measurement measurement(
      String id, double cpuShare, double peakBytes, List<Double> nanos) {
    return new Measurement(
        id,
        "what " + id,
        "event",
        new Samples(nanos),
        cpuShare,
        2.0 / 3,
        Double.NaN,
        0,
        peakBytes,
        1000);
  }

  /** An answer about two things that were measured. */
  static BenchAnswer sample() {
    return answer(
        HERE,
        List.of(measurement("a", 1, 100.0, 101.0, 99.0), measurement("b", 0.9, 20.0, 22.0)),
        null,
        0);
  }

  private static BenchAnswer answer(
      Machine machine, List<Measurement> measurements, BenchBaseline baseline, double tolerance) {
    return new BenchAnswer(machine, 1, measurements, Map.of(), baseline, tolerance);
  }

  private BenchBaseline baseline(Machine machine, Measurement... measurements) throws IOException {
    ByteArrayOutputStream json = new ByteArrayOutputStream();
    JsonText.write(
        JsonRenderer.json(answer(machine, List.of(measurements), null, 0).document()), json);
    Path file = Files.write(folder.resolve("baseline.json"), json.toByteArray());
    return BenchBaseline.read(file.toString());
  }

  @Test
  void slowerThanTheBaselineByMoreThanTheToleranceIsAFailedCheck() throws IOException {
    BenchBaseline baseline = baseline(HERE, measurement("a", 1, 100.0, 101.0, 99.0));
    List<Measurement> slower = List.of(measurement("a", 1, 121.0, 120.0, 122.0));
    assertEquals(1.21, baseline.compare(slower.getFirst()).orElseThrow().ratio(), 1e-12);
    assertTrue(answer(HERE, slower, baseline, 0.1).isWorse());
    assertFalse(answer(HERE, slower, baseline, 0.25).isWorse());
  }

  @Test
  void withinTheSpreadOfTheSamplesNothingIsSlower() throws IOException {
    BenchBaseline baseline = baseline(HERE, measurement("a", 1, 80.0, 100.0, 140.0));
    Measurement now = measurement("a", 1, 90.0, 115.0, 150.0);
    assertFalse(baseline.compare(now).orElseThrow().isSlower(0.1));
  }

  @Test
  void aCommandThatTakesMoreMemoryThanTheBaselineIsAFailedCheck() throws IOException {
    Measurement before = measurement("command", 1, 300e6, List.of(100.0, 101.0, 99.0));
    BenchBaseline baseline = baseline(HERE, before);
    List<Measurement> now = List.of(measurement("command", 1, 345e6, List.of(99.0, 100.0)));
    assertEquals(1.15, baseline.compare(now.getFirst()).orElseThrow().memoryRatio(), 1e-12);
    assertTrue(answer(HERE, now, baseline, 0.1).isWorse());
    assertFalse(answer(HERE, now, baseline, 0.2).isWorse());
    assertFalse(answer(HERE, List.of(measurement("command", 1, 100.0)), baseline, 0.1).isWorse());
  }

  @Test
  void timeThatOtherProgramsTookDoesNotCount() throws IOException {
    BenchBaseline baseline = baseline(HERE, measurement("a", 1, 100.0, 100.0));
    Measurement disturbed = measurement("a", 0.5, 200.0, 200.0);
    assertEquals(1, baseline.compare(disturbed).orElseThrow().ratio(), 1e-12);
  }

  @Test
  void whatTheBaselineLacksIsNotCompared() throws IOException {
    assertTrue(
        baseline(HERE, measurement("a", 1, 1.0)).compare(measurement("b", 1, 1.0)).isEmpty());
  }

  @Test
  void baselinesOfEarlierVersionsAreStillRead() throws IOException {
    baseline(HERE, measurement("a", 0.5, 200.0, 202.0, 198.0));
    Path file = folder.resolve("baseline.json");
    String second =
        Files.readString(file)
            .replace("allocsim-bench-3", "allocsim-bench-2")
            .replace("\"cpu_utilization_ratio\"", "\"cpu_share\"");
    assertTrue(second.contains("\"cpu_share\"") && second.contains("bench-2"), second);
    String first =
        second.replace("allocsim-bench-2", "allocsim-bench-1").replace("\"nanos_per_", "\"ns_per_");
    assertFalse(first.contains("nanos_per_") || !first.contains("\"ns_per_event\""), first);
    for (String text : List.of(first, second)) {
      BenchBaseline baseline = BenchBaseline.read(Files.writeString(file, text).toString());
      assertEquals(2, baseline.compare(measurement("a", 1, 200.0)).orElseThrow().ratio(), 1e-12);
    }
  }

  @Test
  void figuresOfAnotherMachineAreRefused() throws IOException {
    Machine other = new Machine("another cpu", HERE.cores(), HERE.system(), HERE.jdk());
    BenchBaseline baseline = baseline(other, measurement("a", 1, 1.0));
    Failure failure = assertThrows(Failure.class, () -> baseline.requireLike(HERE));
    assertTrue(failure.getMessage().contains("measured on another cpu"), failure.getMessage());
  }

  @Test
  void aBaselineThatDoesNotNameItsMachineIsRefusedInASentence() throws IOException {
    baseline(HERE, measurement("a", 1, 100.0));
    Path file = folder.resolve("baseline.json");
    String whole = Files.readString(file);
    for (String key : List.of("cpu", "system", "jdk")) {
      String name = Files.writeString(file, whole.replace('"' + key + '"', "\"else\"")).toString();
      Failure failure = assertThrows(Failure.class, () -> BenchBaseline.read(name), key);
      assertTrue(failure.getMessage().contains("it has no \"" + key), failure.getMessage());
    }
  }

  @Test
  void aBaselineThatIsNoneIsRefusedInASentence() throws IOException {
    for (String text :
        List.of("", "[]", "{}", "{\"schema\":\"allocsim-bench-3\"}", "{\"schema\":")) {
      Path file = Files.writeString(folder.resolve("bad.json"), text);
      Failure failure =
          assertThrows(Failure.class, () -> BenchBaseline.read(file.toString()), text);
      assertTrue(failure.getMessage().startsWith("--baseline " + file + ": "));
      assertTrue(failure.getMessage().contains("allocsim bench --json"));
    }
  }

  @Test
  void theCommandMeasuresInProcessesOfItsOwn() throws IOException {
    Path json = folder.resolve("out.json");
    CommandRun run =
        CommandRun.of(
            "bench",
            "--quick",
            "--only",
            "policies",
            "--policies",
            "direct,stalloc",
            "--trace",
            "samples/gpt_oom.pickle.xz",
            "--json",
            json.toString(),
            "--csv",
            folder.resolve("out.csv").toString());
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertTrue(run.out().contains("replay of gpt_oom, direct"), run.out());
    assertEquals(HERE, BenchBaseline.read(json.toString()).machine());
    assertTrue(Files.readString(folder.resolve("out.csv")).contains("policy/gpt_oom/direct,event"));
  }

  private static CommandRun turns(String lines, String policies) {
    InputStream before = System.in;
    try {
      System.setIn(new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)));
      return CommandRun.of(
          "bench",
          "--in-turns",
          "--quick",
          "--policies",
          policies,
          "--trace",
          "samples/gpt_oom.pickle.xz");
    } finally {
      System.setIn(before);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pytorch(conf=expandable_segments:True)", "direct", "plan-greedy-size"})
  void inTurnsALineOfInputIsASampleAndTheEndOfInputIsTheEnd(String policy) {
    CommandRun run = turns("\ngo\n", policy);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    List<JsonNode> lines = run.out().lines().map(new ObjectMapper()::readTree).toList();
    assertEquals(4, lines.size(), run.out());
    assertTrue(lines.getFirst().get("requests_per_pass").asLong() > 10_000, run.out());
    for (JsonNode sample : lines.subList(1, 3)) {
      assertTrue(sample.get("ns_per_request").asDouble() > 0, run.out());
      assertTrue(sample.get("ns_per_event").asDouble() > 0, run.out());
      assertTrue(sample.get("cpu_utilization_ratio").asDouble() > 0, run.out());
    }
    assertTrue(lines.getLast().get("passes").asLong() >= 2, run.out());
  }

  @Test
  void withoutTurnsNothingIsMeasured() {
    assertEquals(2, turns("", "direct").out().lines().count());
  }

  @Test
  void whatCannotBeReplayedTakesNoTurns() {
    CommandRun run = turns("\n", "cub(max-bin=1;min-bin=5)");
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertEquals("", run.out());
    assertTrue(run.err().contains("gpt_oom.pickle.xz: option max-bin of policy cub is"), run.err());
  }

  @Test
  void turnsAreOfOnePolicyOnOneTrace() {
    CommandRun two = turns("\n", "direct,pytorch");
    assertEquals(ExitCodes.USAGE, two.exitCode());
    assertEquals(
        "allocsim: --in-turns measures one policy on one trace; give one --policies and one"
            + " --trace\n",
        two.err());
    assertEquals("", two.out());
  }

  @Test
  void wrongUsageIsASentence() {
    for (String[] arguments :
        new String[][] {
          {"bench", "--only", "speed"},
          {"bench", "--tolerance", "fast"},
          {"bench", "--runs", "0"},
          {"bench", "--policies", "no-such-policy"},
          {"bench", "--in-turns"},
          {"bench", "--in-turns", "--policies", "pytorch"},
          {"bench", "--in-turns", "--policies", "pytorch", "--runs", "2"}
        }) {
      CommandRun run = CommandRun.of((Object[]) arguments);
      assertEquals(ExitCodes.USAGE, run.exitCode(), run.err());
      assertTrue(run.err().startsWith("allocsim: " + arguments[1]), run.err());
    }
  }
}
