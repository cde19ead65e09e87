package org.allocsim.workloads.program.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.allocsim.workloads.program.parallel.PipelineStep.Phase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PipelineScheduleTest {
  private static List<PipelineStep> steps(
      PipelineSchedule schedule, int ranks, int rank, int stagesEach, int microbatches) {
    return schedule.steps(new ParallelLayout(ranks, rank), stagesEach, microbatches);
  }

  private static String text(List<PipelineStep> steps) {
    return steps.stream().map(PipelineStep::toString).collect(Collectors.joining(" "));
  }

  /** Most microbatches whose activations a rank holds at once, counted for each of its stages. */
  private static int held(List<PipelineStep> steps) {
    int held = 0;
    int most = 0;
    for (PipelineStep step : steps) {
      switch (step.phase()) {
        case FORWARD -> most = Math.max(most, ++held);
        case BACKWARD, BACKWARD_WEIGHT -> held--;
        case BACKWARD_INPUT -> {}
      }
    }
    assertEquals(0, held);
    return most;
  }

  /** The lists that PyTorch 2.14's schedules make of the same numbers, without their pauses. */
  @ParameterizedTest
  @CsvSource({
    "INTERLEAVED, 2, 0, 2, 4, 0F0 0F1 2F0 2F1 0F2 2B0 0F3 2B1 2F2 0B0 2F3 0B1 2B2 2B3 0B2 0B3",
    "INTERLEAVED, 2, 1, 2, 4, 1F0 1F1 3F0 3B0 3F1 3B1 1F2 1B0 1F3 1B1 3F2 3B2 3F3 3B3 1B2 1B3",
    "INTERLEAVED, 4, 2, 1, 4, 2F0 2F1 2F2 2B0 2F3 2B1 2B2 2B3",
    "ZERO_BUBBLE, 2, 0, 2, 4, 0F0 0F1 2F0 2F1 2I0 2W0 0F2 2I1 2W1 0F3 0I0 0W0 2F2 0I1 0W1 2F3"
        + " 2I2 2W2 2I3 2W3 0I2 0W2 0I3 0W3",
    "ZERO_BUBBLE, 2, 1, 2, 4, 1F0 1F1 3F0 3I0 3F1 3I1 3W0 1F2 1I0 3W1 1F3 1I1 1W0 3F2 3I2 1W1 3F3"
        + " 3I3 3W2 1I2 3W3 1I3 1W2 1W3",
    "ZERO_BUBBLE, 4, 2, 1, 4, 2F0 2F1 2I0 2F2 2I1 2F3 2I2 2W0 2I3 2W1 2W2 2W3"
  })
  void interleavedStepsAreThoseOfPyTorch(
      PipelineSchedule schedule,
      int ranks,
      int rank,
      int stagesEach,
      int microbatches,
      String expected) {
    assertEquals(expected, text(steps(schedule, ranks, rank, stagesEach, microbatches)));
  }

  @Test
  void stepsByHandOfTwoStagesAndThreeMicrobatches() {
    assertEquals("0F0 0F1 0F2 0B0 0B1 0B2", text(steps(PipelineSchedule.GPIPE, 2, 0, 1, 3)));
    assertEquals("0F0 0F1 0B0 0F2 0B1 0B2", text(steps(PipelineSchedule.ONE_F_ONE_B, 2, 0, 1, 3)));
    assertEquals("1F0 1B0 1F1 1B1 1F2 1B2", text(steps(PipelineSchedule.ONE_F_ONE_B, 2, 1, 1, 3)));
  }

  /** Huang et al. 2019 (GPipe); Narayanan et al. 2021 (PipeDream-Flush, which is 1F1B). */
  @ParameterizedTest
  @CsvSource({"2, 8", "4, 8", "4, 2", "8, 16", "8, 64"})
  void aRankHoldsAllMicrobatchesOfGPipeAndAsManyAsStagesAreLeftOf1F1B(int ranks, int microbatches) {
    for (int rank = 0; rank < ranks; rank++) {
      assertEquals(microbatches, held(steps(PipelineSchedule.GPIPE, ranks, rank, 1, microbatches)));
      assertEquals(
          Math.min(microbatches, ranks - rank),
          held(steps(PipelineSchedule.ONE_F_ONE_B, ranks, rank, 1, microbatches)));
    }
  }

  /**
   * Korthikanti et al. 2022: with v stages each the first of p ranks holds 1 + (p - 1) / (p v)
   * times the activations of 1F1B, p v + p - 1 of the smaller stages.
   */
  @ParameterizedTest
  @CsvSource({"2, 2, 8", "4, 2, 8", "4, 3, 16", "8, 4, 32"})
  void interleavedHoldsMoreByTheFactorOfThePaper(int ranks, int stagesEach, int microbatches) {
    assertEquals(
        ranks * stagesEach + ranks - 1,
        held(steps(PipelineSchedule.INTERLEAVED, ranks, 0, stagesEach, microbatches)));
  }

  /** Qi et al. 2023, ZB-H1: no rank holds more than the first of 1F1B, which is p microbatches. */
  @ParameterizedTest
  @CsvSource({"2, 8", "4, 8", "8, 24"})
  void zeroBubbleHoldsAsMuchOnEveryRankAs1F1BOnTheFirst(int ranks, int microbatches) {
    for (int rank = 0; rank < ranks; rank++) {
      assertEquals(ranks, held(steps(PipelineSchedule.ZERO_BUBBLE, ranks, rank, 1, microbatches)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyMicrobatchPassesEveryStageOnceInEachPhase(PipelineSchedule schedule) {
    int stagesEach = schedule.takesSeveralStages() ? 2 : 1;
    for (int rank = 0; rank < 4; rank++) {
      List<PipelineStep> steps = steps(schedule, 4, rank, stagesEach, 8);
      assertEquals(steps.size(), new HashSet<>(steps).size());
      boolean splits = schedule == PipelineSchedule.ZERO_BUBBLE;
      assertEquals((splits ? 3 : 2) * 8 * stagesEach, steps.size());
      Map<String, List<Phase>> phases = new HashMap<>();
      for (PipelineStep step : steps) {
        phases
            .computeIfAbsent(step.stage() + " " + step.microbatch(), key -> new ArrayList<>())
            .add(step.phase());
      }
      phases.values().forEach(order -> assertEquals(order.stream().sorted().toList(), order));
    }
  }

  /** Each step waits for those of other ranks that it needs; none waits for ever. */
  @ParameterizedTest
  @EnumSource
  void ranksNeverWaitForEachOther(PipelineSchedule schedule) {
    int ranks = 4;
    int stagesEach = schedule.takesSeveralStages() ? 2 : 1;
    int stages = ranks * stagesEach;
    List<List<PipelineStep>> open = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      open.add(new ArrayList<>(steps(schedule, ranks, rank, stagesEach, 8)));
    }
    HashSet<String> done = new HashSet<>();
    boolean advances = true;
    while (advances) {
      advances = false;
      for (List<PipelineStep> steps : open) {
        while (!steps.isEmpty() && isReady(steps.getFirst(), stages, done)) {
          PipelineStep step = steps.removeFirst();
          done.add(
              (step.phase() == Phase.FORWARD ? "F" : "B") + step.stage() + " " + step.microbatch());
          advances = true;
        }
      }
    }
    assertTrue(open.stream().allMatch(List::isEmpty), "left: " + open);
  }

  private static boolean isReady(PipelineStep step, int stages, HashSet<String> done) {
    return switch (step.phase()) {
      case FORWARD ->
          step.stage() == 0 || done.contains("F" + (step.stage() - 1) + " " + step.microbatch());
      case BACKWARD, BACKWARD_INPUT ->
          step.stage() == stages - 1
              || done.contains("B" + (step.stage() + 1) + " " + step.microbatch());
      case BACKWARD_WEIGHT -> true;
    };
  }
}
