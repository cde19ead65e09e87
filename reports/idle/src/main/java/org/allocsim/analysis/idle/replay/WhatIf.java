package org.allocsim.analysis.idle.replay;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.allocsim.analysis.idle.IdleAnalysis;
import org.allocsim.analysis.idle.IdleResult;
import org.allocsim.analysis.idle.timeline.Cause;
import org.allocsim.analysis.idle.timeline.WorkKind;
import org.jspecify.annotations.Nullable;

/** Predicts steps under changes: those that are asked for, or all that could help. */
public final class WhatIf {
  /** Idle time below this part of the steps is not worth a change. */
  private static final double WORTH = 0.005;

  /** A change that gains less is not combined with others. */
  private static final double GAIN = 0.01;

  private static final List<Integer> WORKERS = List.of(1, 2, 4, 8, 16);

  private final StepReplay replay;
  private final IdleResult result;
  private final int recordedWorkers;
  private final Prediction recorded;
  private final Prediction unprofiled;

  /**
   * Replays without a change.
   *
   * @param recordedWorkers workers of the data loader in the recording; 0 where that is unknown
   */
  public WhatIf(IdleAnalysis analysis, int recordedWorkers) {
    replay = new StepReplay(analysis.timeline(), analysis.steps(), analysis.waits());
    result = analysis.result();
    this.recordedWorkers = recordedWorkers;
    recorded = replay.run(Change.NONE, recordedWorkers, true);
    unprofiled = replay.run(Change.NONE, recordedWorkers, false);
  }

  /** The replay of the recording as it is. */
  public Prediction recorded() {
    return recorded;
  }

  /** The same without what the profiler cost the host. */
  public Prediction unprofiled() {
    return unprofiled;
  }

  /** The largest difference of a time between the recording and its replay. */
  public long errorNanos() {
    return replay.errorNanos();
  }

  /**
   * Steps under a change, without the profiler.
   *
   * @throws IllegalArgumentException where the profile does not say enough; the message is for
   *     users
   */
  public Prediction predict(Change change) {
    if (change.workers() >= 0) {
      requireLoads(change);
    }
    if (change.has(Change.Part.NO_GC) && !replay.hasCollections()) {
      throw new IllegalArgumentException(
          change.name()
              + ": the profile shows no garbage collection of Python; record with with_stack=True,"
              + " without which it shows none");
    }
    return replay.run(change, recordedWorkers, false);
  }

  /** One step under a change that was predicted, without the profiler. */
  public ReplayedStep step(Change change, int step) {
    return replay.run(change, recordedWorkers, false, step);
  }

  private void requireLoads(Change change) {
    if (!replay.hasLoads()) {
      throw new IllegalArgumentException(
          change.name() + ": the profile shows no data loader of PyTorch");
    }
    if (replay.services(recordedWorkers).length == 0) {
      throw new IllegalArgumentException(
          change.name()
              + (recordedWorkers > 0
                  ? ": the program hardly waited for its data, so the profile does not say how long"
                      + " a batch takes"
                  : ": the batches came from workers, and the profile does not say how many; give"
                      + " their number with --workers"));
    }
  }

  /** All changes that could help, the best first; the last combines those that do. */
  public List<Prediction> predictAll() {
    List<Prediction> predictions = new ArrayList<>();
    addWorkers(predictions);
    for (String change : candidates()) {
      predictions.add(predict(Change.parse(change)));
    }
    String combined = combined(predictions);
    if (combined != null) {
      predictions.add(predict(Change.parse(combined)));
    }
    predictions.add(predict(Change.parse("gpu=2x")));
    predictions.sort(
        Comparator.comparingLong(Prediction::stepNanos)
            .thenComparing(prediction -> prediction.change().name()));
    return predictions;
  }

  /** More and more workers, as long as they help. */
  private void addWorkers(List<Prediction> predictions) {
    if (!isWorth(Cause.DATA) || replay.services(recordedWorkers).length == 0) {
      return;
    }
    int now = replay.loadsHere() ? 0 : recordedWorkers;
    long before = Long.MAX_VALUE;
    for (int workers : WORKERS) {
      if (workers > now) {
        Prediction prediction = predict(Change.parse("workers=" + workers));
        if (prediction.stepNanos() > before - before / 50) {
          return;
        }
        predictions.add(prediction);
        before = prediction.stepNanos();
      }
    }
  }

  private List<String> candidates() {
    List<String> changes = new ArrayList<>();
    if (replay.hasCopies(WorkKind.FROM_PAGEABLE)) {
      changes.add("pinned,non-blocking");
    }
    if (isWorth(Cause.BLOCKING_COPY)) {
      changes.add("non-blocking");
    }
    addFor(Cause.HOST_READ, "no-item", changes);
    addFor(Cause.SYNCHRONIZE, "no-synchronize", changes);
    addFor(Cause.EMPTY_CACHE, "no-empty-cache", changes);
    addFor(Cause.RETRY, "no-retries", changes);
    addFor(Cause.GARBAGE_COLLECTION, "no-gc", changes);
    addFor(Cause.LAUNCH, "graphs", changes);
    return changes;
  }

  private void addFor(Cause cause, String change, List<String> changes) {
    if (isWorth(cause)) {
      changes.add(change);
    }
  }

  private boolean isWorth(Cause cause) {
    return result.nanosOf(cause) > WORTH * result.total().nanos();
  }

  /** The changes of the program that gain something, with the fewest workers that suffice. */
  private @Nullable String combined(List<Prediction> predictions) {
    List<Prediction> helpful = predictions.stream().filter(each -> gain(each) >= GAIN).toList();
    List<String> parts = new ArrayList<>();
    helpful.stream()
        .filter(each -> each.change().workers() > 0)
        .min(Comparator.comparingLong(Prediction::stepNanos))
        .ifPresent(each -> parts.add(each.change().name()));
    helpful.stream()
        .filter(each -> each.change().workers() < 0 && !each.change().has(Change.Part.GRAPHS))
        .forEach(each -> parts.add(each.change().name()));
    Set<String> distinct =
        parts.stream()
            .flatMap(each -> List.of(each.split(",")).stream())
            .collect(Collectors.toCollection(LinkedHashSet::new));
    return parts.size() < 2 ? null : String.join(",", distinct);
  }

  /** The part of the step that a change saves; below 0 where it takes longer. */
  public double gain(Prediction prediction) {
    return unprofiled.stepNanos() == 0
        ? 0
        : 1 - (double) prediction.stepNanos() / unprofiled.stepNanos();
  }
}
