package org.allocsim.reports.answer.idle;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Quantity.nanos;
import static org.allocsim.reports.document.Quantity.share;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.allocsim.analysis.idle.CauseSum;
import org.allocsim.analysis.idle.IdleResult;
import org.allocsim.analysis.idle.StepTime;
import org.allocsim.analysis.idle.join.JoinedMemory;
import org.allocsim.analysis.idle.join.StepCalls;
import org.allocsim.analysis.idle.memory.MemoryPeak;
import org.allocsim.analysis.idle.replay.Prediction;
import org.allocsim.analysis.idle.timeline.Cause;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.NextCommand;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.jspecify.annotations.Nullable;

/** What an answer about an idle GPU comes to. */
record IdleVerdict(IdleAnswer answer) {
  /** A GPU that is idle for less of a step is well used. */
  private static final double WELL_USED = 0.1;

  /** Graphs that leave more than this part of a step are not mentioned first. */
  private static final double WORTHWHILE_PART = 0.9;

  /**
   * A smaller part of a step is no gain: of predicted changes below it, as many came out longer as
   * shorter when they were measured (validation/idle, an H200).
   */
  private static final double UNCERTAIN_PART = 0.05;

  private static final int MAX_CAUSES_NAMED = 3;
  private static final double NAMED = 0.02;

  static Verdict of(IdleAnswer answer) {
    return new IdleVerdict(answer).verdict();
  }

  /**
   * The best change of the program; null where none shortens a step by more than predictions, or
   * the replay of the recording itself, are off.
   */
  static @Nullable Prediction best(
      List<Prediction> predictions, Prediction unprofiled, long replayErrorNanos) {
    double noiseNanos = Math.max(UNCERTAIN_PART * unprofiled.stepNanos(), replayErrorNanos);
    return predictions.stream()
        .filter(each -> each.change().isOfProgram() && each.failures() == 0)
        .min(Comparator.comparingLong(Prediction::stepNanos))
        .filter(each -> unprofiled.stepNanos() - each.stepNanos() > noiseNanos)
        .orElse(null);
  }

  private Verdict verdict() {
    IdleResult result = answer.result();
    StepTime total = result.total();
    int steps = result.steps().size();
    Sentence idle =
        Sentence.of(
            "The GPU is idle {} of each recorded step ({} of {})",
            share(total.idleNanos(), total.nanos()),
            nanos(total.idleNanos() / steps),
            nanos(total.nanos() / steps));
    List<Sentence> named = new ArrayList<>();
    for (CauseSum sum : answer.byCause()) {
      if (named.size() < MAX_CAUSES_NAMED && sum.nanos() >= NAMED * total.nanos()) {
        named.add(
            Sentence.of(
                sum.where().isEmpty() ? "{} {}{}" : "{} {} ({})",
                share(sum.nanos(), total.nanos()),
                sum.cause().words(),
                sum.where()));
      }
    }
    Sentence sentence = idle;
    for (int i = 0; i < named.size(); i++) {
      sentence = Sentence.of(i == 0 ? "{}: {}" : "{}, {}", sentence, named.get(i));
    }
    boolean isWellUsed = total.idleNanos() < WELL_USED * total.nanos();
    return new Verdict(isWellUsed ? Tone.GOOD : Tone.BAD, Sentence.of("{}.", sentence), details());
  }

  private List<Sentence> details() {
    IdleResult result = answer.result();
    List<Prediction> predictions = answer.predictions();
    Prediction unprofiled = answer.unprofiled();
    JoinedMemory joined = answer.joined();
    List<Sentence> details = new ArrayList<>();
    StepTime total = result.total();
    details.add(
        Sentence.of(
            "It computes {}, communicates {} and copies {} of the time.",
            share(total.computeNanos(), total.nanos()),
            share(total.communicateNanos(), total.nanos()),
            share(total.copyNanos(), total.nanos())));
    Prediction best = best(predictions, unprofiled, answer.replayErrorNanos());
    if (best != null) {
      details.add(
          Sentence.of(
              "Predicted best: without the profiler, {} takes a step from {} to {}, with the GPU"
                  + " busy {} of it instead of {}.",
              best.change().name(),
              nanos(unprofiled.stepNanos()),
              nanos(best.stepNanos()),
              share(best.busyNanos(), best.stepNanos()),
              share(unprofiled.busyNanos(), unprofiled.stepNanos())));
      details.add(Sentence.of("Predictions are modelled: a small gain may turn out to be a loss."));
    } else if (predictions.stream().anyMatch(each -> each.change().isOfProgram())) {
      details.add(
          Sentence.of(
              "No change of the program is predicted to save more than {} of a step; smaller gains"
                  + " may turn out to be losses.",
              Numbers.percent(UNCERTAIN_PART)));
    }
    MemoryPeak memory = result.memory();
    if (memory != null) {
      details.add(
          Sentence.of(
              "At most {} is reserved in the {}, and {} allocated.",
              bytes(memory.reservedBytes()),
              joined == null ? "profile" : "run of the snapshot",
              bytes(memory.allocatedBytes())));
    }
    if (joined != null) {
      details.add(driver(joined));
    }
    predictions.stream()
        .filter(each -> each.change().name().equals("graphs"))
        .filter(bound -> bound.stepNanos() < WORTHWHILE_PART * unprofiled.stepNanos())
        .findFirst()
        .ifPresent(bound ->
            details.add(
                Sentence.of(
                    "If launches cost nothing (CUDA graphs, torch.compile), a step without the"
                        + " profiler takes {} at best.",
                    nanos(bound.stepNanos()))));
    if (!answer.byCause().isEmpty() && answer.byCause().getFirst().cause() == Cause.DATA) {
      details.add(workers());
    }
    return details;
  }

  private Sentence driver(JoinedMemory memory) {
    long allocations = memory.steps().stream().mapToLong(StepCalls::allocations).sum();
    long frees = memory.steps().stream().mapToLong(StepCalls::frees).sum();
    long retries = memory.steps().stream().mapToLong(StepCalls::retries).sum();
    if (allocations + frees == 0) {
      return Sentence.of("In these steps, the allocator asks the driver for nothing.");
    }
    return Sentence.of(
        "In {}, the allocator gets memory from the driver {} and frees it {}; it frees some to"
            + " serve a request {}.",
        count(memory.steps().size(), "step"),
        count(allocations, "time"),
        count(frees, "time"),
        count(retries, "time"));
  }

  /** How to ask for other numbers of workers. */
  private Sentence workers() {
    NextCommand next = NextCommand.of(answer.result().source().file(), Conditions.RECORDED, null);
    return switch (answer.loader()) {
      case READY ->
          Sentence.of(
              "Next: {} predicts another number of workers.",
              next.line("idle", "--what-if", "workers=N"));
      case UNKNOWN_WORKERS ->
          Sentence.of(
              "Next: {} predicts other numbers of workers; N is that of the recorded run, which a"
                  + " profile does not show.",
              next.line("idle", "--workers", "N"));
      case NONE ->
          Sentence.of(
              "The profile shows no data loader of PyTorch, so other numbers of workers cannot be"
                  + " predicted.");
      case NEVER_AWAITED ->
          Sentence.of(
              "The program hardly waits for its data, so more workers would change nothing; the"
                  + " profile does not show whether fewer are enough.");
    };
  }
}
