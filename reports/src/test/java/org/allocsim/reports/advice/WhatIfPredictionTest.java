package org.allocsim.reports.advice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.reports.cli.Golden;
import org.allocsim.simulator.policy.pytorch.ConfigException;
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
 * prediction proper, and with those that the driver gave in the target, which leaves the allocator
 * alone to be judged: then every single row must come out.
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
          List.of("cat_growth", "cat_growth.expandable"));

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
      String difference = prediction.difference();
      assertTrue(difference.isEmpty() || difference.endsWith("bytes at another place"), difference);
    }
  }

  @Test
  void emptiedCachesAreFollowed() throws ConfigException {
    for (String program : List.of("gpt_empty", "cuda_graph", "mempool")) {
      Prediction prediction = predict(program, program);
      assertTrue(prediction.isPeakEqual(), program);
      assertEquals(prediction.target().effects().count(), prediction.followed(), program);
    }
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
    assertTrue(predict("gpt_oom", "gpt_oom.expandable").isFailureEqual());
    assertTrue(predict("gpt_oom.max_split_64", "gpt_oom.expandable").isFailureEqual());
    assertTrue(predict("device_oom.expandable", "device_oom").isFailureEqual());
  }

  @Test
  void tableOfPredictions() throws IOException, ConfigException {
    List<Prediction> all = new ArrayList<>(pairs(SAME_PROGRAMS));
    all.addAll(pairs(List.of(List.of("vision_varsize", "vision_varsize.limit"))));
    for (String program : List.of("gpt_empty", "cuda_graph", "mempool", "prefetch_streams")) {
      all.add(predict(program, program));
    }
    StringBuilder text = new StringBuilder();
    text.append(
        """
        | requests of | settings of | peak reserved, recorded | predicted | equal | statistics \
        equal of 122 | events with the driver's addresses |
        |---|---|--:|--:|---|--:|---|
        """);
    for (Prediction each : all) {
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %,d | %,d | %s | %d | %s |%n",
              each.source(),
              each.target(),
              each.recordedPeakBytes(),
              each.modelled().peakReservedBytes(),
              each.isPeakEqual() ? "yes" : "no",
              each.valuesEqual(),
              events(each)));
    }
    text.append(
        """

        | requests of | settings of | first OOM at request, recorded | predicted | amounts in the \
        message | with the driver's addresses |
        |---|---|--:|--:|---|---|
        """);
    List<Prediction> failing = pairs(FAILING_PROGRAMS.subList(0, 1));
    failing.add(predict("device_oom.expandable", "device_oom"));
    for (Prediction each : failing) {
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %d | %s | %s | %s |%n",
              each.source(),
              each.target(),
              each.target().firstFailure(),
              each.modelled().firstOom().map(oom -> "" + oom.requestIndex()).orElse("none"),
              each.isFailureEqual() ? "equal" : "differ",
              (each.isFailureEqualWithDriverAddresses() ? "equal; " : "differ; ") + events(each)));
    }
    Golden.assertGolden(
        "what-if-predictions.md", text.toString().replace(System.lineSeparator(), "\n"));
  }

  private static String events(Prediction prediction) {
    int rows = prediction.comparableRows();
    return prediction.followed() >= rows
        ? String.format(Locale.ROOT, "all %,d", rows)
        : String.format(Locale.ROOT, "%,d of %,d", prediction.followed(), rows);
  }
}
