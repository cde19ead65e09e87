package org.allocsim.workloads.program.parallel;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.allocsim.workloads.program.parallel.PipelineStep.Phase;

/**
 * Orders in which the ranks of a pipeline work, as PyTorch 2.11's schedules have them
 * (torch/distributed/pipelining/schedules.py).
 */
enum PipelineSchedule {
  /** All forward passes, then all backward passes (GPipe). */
  GPIPE,
  /** As many forward passes as stages are left, then one backward pass after each. */
  ONE_F_ONE_B,
  /** The same with several stages on each rank, in rounds of microbatches. */
  INTERLEAVED,
  /**
   * The same as one or several stages, with gradients of weights apart: rank r does them r
   * microbatches late, so that nobody waits (ZB-H1).
   */
  ZERO_BUBBLE;

  /** The schedule of a name as options have it. */
  static PipelineSchedule of(String name) {
    return switch (name) {
      case "1f1b" -> ONE_F_ONE_B;
      default -> valueOf(name.replace('-', '_').toUpperCase(Locale.ROOT));
    };
  }

  /** Whether a rank can have more than one stage. */
  boolean takesSeveralStages() {
    return this == INTERLEAVED || this == ZERO_BUBBLE;
  }

  /** Microbatches of a round of an interleaved schedule, or 0 where rounds would differ. */
  static int perRound(int ranks, int microbatches) {
    int rounds = Math.max(1, microbatches / ranks);
    return microbatches % rounds == 0 ? microbatches / rounds : 0;
  }

  /**
   * The steps of a rank.
   *
   * @param stagesEach stages of each rank
   */
  List<PipelineStep> steps(ParallelLayout layout, int stagesEach, int microbatches) {
    return switch (this) {
      case GPIPE -> gpipe(layout, microbatches);
      case ONE_F_ONE_B -> oneForwardOneBackward(layout, microbatches);
      case INTERLEAVED, ZERO_BUBBLE -> interleaved(layout, stagesEach, microbatches);
    };
  }

  private static List<PipelineStep> gpipe(ParallelLayout layout, int microbatches) {
    List<PipelineStep> steps = new ArrayList<>();
    for (Phase phase : List.of(Phase.FORWARD, Phase.BACKWARD)) {
      for (int i = 0; i < microbatches; i++) {
        steps.add(new PipelineStep(phase, layout.rank(), i));
      }
    }
    return steps;
  }

  private static List<PipelineStep> oneForwardOneBackward(ParallelLayout layout, int microbatches) {
    List<PipelineStep> steps = new ArrayList<>();
    int ahead = Math.min(microbatches, layout.ranks() - layout.rank());
    for (int i = 0; i < microbatches + ahead; i++) {
      if (i >= ahead) {
        steps.add(new PipelineStep(Phase.BACKWARD, layout.rank(), i - ahead));
      }
      if (i < microbatches) {
        steps.add(new PipelineStep(Phase.FORWARD, layout.rank(), i));
      }
    }
    return steps;
  }

  private List<PipelineStep> interleaved(ParallelLayout layout, int stagesEach, int microbatches) {
    int perRound = perRound(layout.ranks(), microbatches);
    int total = stagesEach * microbatches;
    // Where weights have their own time, a rank runs less far ahead.
    int lead = (this == INTERLEAVED ? 2 : 1) * (layout.ranks() - 1 - layout.rank());
    int ahead = Math.min(total, (stagesEach - 1) * perRound + lead);
    int late = layout.rank();
    List<PipelineStep> steps = new ArrayList<>();
    for (int i = 0; i < total + ahead; i++) {
      if (i < total) {
        steps.add(step(Phase.FORWARD, layout, stagesEach, perRound, i));
      }
      int backward = i - ahead;
      if (backward < 0) {
        continue;
      }
      if (this == INTERLEAVED) {
        steps.add(step(Phase.BACKWARD, layout, stagesEach, perRound, backward));
        continue;
      }
      steps.add(step(Phase.BACKWARD_INPUT, layout, stagesEach, perRound, backward));
      if (backward >= late) {
        steps.add(step(Phase.BACKWARD_WEIGHT, layout, stagesEach, perRound, backward - late));
      }
    }
    if (this == ZERO_BUBBLE) {
      for (int i = Math.max(0, total - late); i < total; i++) {
        steps.add(step(Phase.BACKWARD_WEIGHT, layout, stagesEach, perRound, i));
      }
    }
    return steps;
  }

  /** The step of a number: rounds go through a rank's stages, backward from the last. */
  private static PipelineStep step(
      Phase phase, ParallelLayout layout, int stagesEach, int perRound, int number) {
    int turn = number / perRound;
    int local = turn % stagesEach;
    int place = phase == Phase.FORWARD ? local : stagesEach - 1 - local;
    int microbatch = turn / stagesEach * perRound + number % perRound;
    return new PipelineStep(phase, place * layout.ranks() + layout.rank(), microbatch);
  }
}
