package org.allocsim.analysis.prediction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.cli.Golden;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.stats.MemoryStats;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * Runs of one program on a real GPU under several settings: from the recording under one of them
 * the others are predicted.
 *
 * <p>Where blocks of equal size compete, PyTorch takes the one at the lowest address. Libraries
 * take memory from the driver that no recording shows, so addresses cannot all be predicted. Every
 * pair is therefore replayed twice: with the addresses of the simulated device, which is the
 * prediction proper and knows of the process what the segments of the source show, and with those
 * that the driver gave in the target, which leaves the allocator alone to be judged: then every
 * single row must come out.
 */
class WhatIfPredictionTest {
  private static final Map<String, RecordedRun> RUNS = new HashMap<>();

  private static final List<List<String>> SAME_PROGRAMS =
      List.of(
          List.of(
              "gpt_varlen",
              "gpt_varlen.expandable",
              "gpt_varlen.max_split_32",
              "gpt_varlen.roundup4",
              "gpt_varlen.rounduplist",
              "gpt_varlen.gc06"),
          List.of("llama_generate", "llama_generate.expandable"),
          List.of("cat_growth", "cat_growth.expandable"),
          List.of("vision_varsize", "vision_varsize.limit"));

  /** Recorded from the start with segments of cudaMalloc, so that they show their process. */
  private static final List<String> TELLING =
      List.of(
          "cat_growth",
          "cuda_graph",
          "device_oom",
          "gpt_ckpt",
          "gpt_empty",
          "gpt_fixed_accum_amp",
          "gpt_oom",
          "gpt_oom.max_split_64",
          "gpt_varlen",
          "gpt_varlen.gc06",
          "gpt_varlen.max_split_32",
          "gpt_varlen.roundup4",
          "gpt_varlen.rounduplist",
          "leak_losses",
          "llama_generate",
          "mempool",
          "resnet50_amp",
          "vision_varsize",
          "vision_varsize.limit",
          "vit_train");

  private static final List<List<String>> FAILING_PROGRAMS =
      List.of(
          List.of("gpt_oom", "gpt_oom.expandable", "gpt_oom.max_split_64"),
          List.of("device_oom.expandable", "device_oom"));

  @AfterAll
  static void forgetRuns() {
    RUNS.clear();
  }

  private static RecordedRun run(String name) {
    return RUNS.computeIfAbsent(name, RecordedRun::model);
  }

  private static Prediction predict(String source, String target) throws ConfigException {
    return Prediction.of(run(source), run(target));
  }

  private static List<Prediction> pairs(List<List<String>> families) throws ConfigException {
    List<Prediction> predictions = new ArrayList<>();
    for (List<String> family : families) {
      for (String source : family) {
        for (String target : family) {
          if (!source.equals(target)) {
            predictions.add(predict(source, target));
          }
        }
      }
    }
    return predictions;
  }

  @Test
  void everyStatisticUnderOtherSettingsIsTheRecordedOne() throws ConfigException {
    for (Prediction prediction : pairs(SAME_PROGRAMS)) {
      String pair = prediction.source() + " -> " + prediction.target();
      assertTrue(prediction.source().asksTheSameAs(prediction.target()), pair);
      assertEquals(prediction.recordedPeakBytes(), prediction.modelled().peakReservedBytes(), pair);
      assertEquals(prediction.target().stats(), prediction.modelled().stats(), pair);
    }
  }

  @Test
  void everyEffectIsTheRecordedOneWithTheAddressesOfTheDriver() throws ConfigException {
    for (Prediction prediction : pairs(SAME_PROGRAMS)) {
      assertEquals(
          prediction.target().effects().count(),
          prediction.followed(),
          prediction.source() + " -> " + prediction.target());
    }
  }

  @Test
  void everyEffectOfExpandableSegmentsIsAtItsPlace() throws ConfigException {
    for (String program : List.of("gpt_varlen", "llama_generate", "cat_growth")) {
      assertEquals("", predict(program, program + ".expandable").difference());
    }
    assertEquals("", predict("llama_generate.expandable", "llama_generate").difference());
    assertEquals("", predict("cat_growth.expandable", "cat_growth").difference());
  }

  @Test
  void modelledAddressesDifferInTheChoiceAmongFreeBlocksOnly() throws ConfigException {
    for (Prediction prediction : pairs(SAME_PROGRAMS)) {
      String explanation = prediction.explanation();
      assertTrue(
          explanation.isEmpty() || explanation.equals("tie decided by an address"),
          prediction.difference());
    }
  }

  @Test
  void everySegmentIsAtItsPlaceWhereItsOwnProcessIsKnown() throws ConfigException {
    for (String program : TELLING) {
      RecordedRun run = run(program);
      assertTrue(run.addressHistory().isKnown(), program);
      assertEquals(
          SegmentPlaces.count(run.effects()), segmentsAtPlace(run, run.addressHistory()), program);
    }
  }

  private static int segmentsAtPlace(RecordedRun run, AddressHistory history)
      throws ConfigException {
    SegmentPlaces places = new SegmentPlaces(run.effects());
    Scenario scenario =
        Scenario.of(
            run.conf(),
            PyTorchVersion.V2_11,
            run.limitBytes(),
            DeviceProfiles.defaultProfile().withHistory(history));
    Run.of(scenario.setup(run.trace(), 0, AfterOom.CONTINUE), RunObserver.hearing(places));
    return places.equal();
  }

  @Test
  void emptiedCachesAreFollowed() throws ConfigException {
    for (String program : List.of("gpt_empty", "cuda_graph", "mempool")) {
      Prediction prediction = predict(program, program);
      assertTrue(prediction.isPeakEqual(), program);
      assertEquals(prediction.target().effects().count(), prediction.followed(), program);
      assertEquals("", prediction.difference());
    }
    assertEquals(MemoryStats.keys().size(), predict("gpt_empty", "gpt_empty").valuesEqual());
    assertEquals(MemoryStats.keys().size(), predict("mempool", "mempool").valuesEqual());
    // An empty_cache() that released nothing leaves no trace: num_sync_all_streams.
    assertEquals(MemoryStats.keys().size() - 1, predict("cuda_graph", "cuda_graph").valuesEqual());
  }

  @Test
  void theFirstFailureComesOutWithTheAddressesOfTheDriver() throws ConfigException {
    for (Prediction prediction : pairs(FAILING_PROGRAMS.subList(0, 1))) {
      String pair = prediction.source() + " -> " + prediction.target();
      assertEquals(1048, prediction.target().firstFailure(), pair);
      assertTrue(prediction.isFailureEqualWithDriverAddresses(), pair);
      assertTrue(prediction.followed() >= prediction.comparableRows(), pair);
    }
  }

  @Test
  void theFirstFailureIsPredicted() throws ConfigException {
    List<Prediction> failing = pairs(FAILING_PROGRAMS.subList(0, 1));
    failing.add(predict("device_oom.expandable", "device_oom"));
    for (Prediction prediction : failing) {
      String pair = prediction.source() + " -> " + prediction.target();
      assertTrue(prediction.isFailureEqual(), pair);
      assertTrue(prediction.rowsAtPlace() >= prediction.comparableRows(), pair);
      assertTrue(
          prediction.explanation().endsWith("the program went on differently after the OOM"),
          prediction.explanation());
    }
  }

  @Test
  void tableOfPredictions() throws IOException, ConfigException {
    List<Prediction> all = new ArrayList<>(pairs(SAME_PROGRAMS));
    for (String program : List.of("gpt_empty", "cuda_graph", "mempool", "prefetch_streams")) {
      all.add(predict(program, program));
    }
    StringBuilder text = new StringBuilder();
    text.append(
        """
        A row is one entry of PyTorch's history: action, bytes, stream, and the place in its segment.
        "First other row" is the first row that was not predicted so; up to there prediction and
        recording hold the same blocks in the same segments. A *tie decided by an address* is then
        the choice among equally large free blocks (or the order of equally large segments), which
        PyTorch decides by address; it is called so only where the same replay with the addresses of
        the target's driver gives the recorded row. Those addresses differ between two runs of one
        program by where the system puts host memory, which no recording of requests shows.

        | requests of | settings of | peak reserved, recorded | predicted | equal | statistics \
        equal of 122 | rows predicted | first other row | rows with the driver's addresses |
        |---|---|--:|--:|---|--:|---|---|---|
        """);
    for (Prediction each : all) {
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %,d | %,d | %s | %d | %s | %s | %s |%n",
              each.source(),
              each.target(),
              each.recordedPeakBytes(),
              each.modelled().peakReservedBytes(),
              each.isPeakEqual() ? "yes" : "no",
              each.valuesEqual(),
              rows(each),
              each.explanation(),
              events(each)));
    }
    text.append(
        """

        | requests of | settings of | first OOM at request, recorded | predicted | amounts in the \
        message | rows up to the OOM | first other row | with the driver's addresses |
        |---|---|--:|--:|---|---|---|---|
        """);
    List<Prediction> failing = pairs(FAILING_PROGRAMS.subList(0, 1));
    failing.add(predict("device_oom.expandable", "device_oom"));
    for (Prediction each : failing) {
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %d | %s | %s | %s | %,d: %s | %s |%n",
              each.source(),
              each.target(),
              each.target().firstFailure(),
              each.modelled().firstFailure().map(oom -> "" + oom.requestIndex()).orElse("none"),
              each.isFailureEqual() ? "equal" : "differ",
              count(Math.min(each.rowsAtPlace(), each.comparableRows()), each.comparableRows()),
              each.rowsAtPlace(),
              each.explanation(),
              (each.isFailureEqualWithDriverAddresses() ? "equal; " : "differ; ") + events(each)));
    }
    text.append(
        """

        Segments at the recorded place, as distance from the first one of the process, when a
        program is replayed under its own settings: with nothing known of the process, and with what
        its recorded segments show it.

        | recording | segments | process unknown | known | hidden changes |
        |---|--:|--:|--:|--:|
        """);
    for (String program : TELLING) {
      RecordedRun run = run(program);
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %,d | %,d | %,d | %d |%n",
              program,
              SegmentPlaces.count(run.effects()),
              segmentsAtPlace(run, AddressHistory.UNKNOWN),
              segmentsAtPlace(run, run.addressHistory()),
              run.addressHistory().count()));
    }
    Golden.assertGolden(
        "what-if-predictions.md", text.toString().replace(System.lineSeparator(), "\n"));
  }

  private static String rows(Prediction prediction) {
    return count(prediction.rowsAtPlace(), prediction.target().effects().count());
  }

  private static String events(Prediction prediction) {
    int rows = prediction.comparableRows();
    return count(Math.min(prediction.followed(), rows), rows);
  }

  private static String count(int equal, int rows) {
    return equal == rows
        ? String.format(Locale.ROOT, "all %,d", rows)
        : String.format(Locale.ROOT, "%,d of %,d", equal, rows);
  }
}
