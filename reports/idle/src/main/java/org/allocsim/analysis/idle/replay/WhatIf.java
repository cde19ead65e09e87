package org.allocsim.analysis.idle.replay;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.allocsim.analysis.idle.IdleAnalysis;
import org.allocsim.analysis.idle.IdleResult;
import org.allocsim.analysis.idle.memory.AllocatorModel;
import org.allocsim.analysis.idle.memory.AllocatorRun;
import org.allocsim.analysis.idle.memory.MemoryPeak;
import org.allocsim.analysis.idle.timeline.Cause;
import org.allocsim.analysis.idle.timeline.WorkKind;
import org.allocsim.analysis.program.ProgramException;
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
  private final @Nullable AllocatorModel allocator;
  private final @Nullable BatchFit batches;
  private final Prediction recorded;
  private final Prediction unprofiled;

  /**
   * Replays without a change.
   *
   * @param recordedWorkers workers of the data loader in the recording; 0 where that is unknown
   * @param allocator the requests for memory; null where the profile does not have them
   */
  public WhatIf(IdleAnalysis analysis, int recordedWorkers, @Nullable AllocatorModel allocator) {
    this(analysis, recordedWorkers, allocator, null);
  }

  /**
   * Replays without a change.
   *
   * @param recordedWorkers workers of the data loader in the recording; 0 where that is unknown
   * @param allocator the requests for memory; null where the profile does not have them
   * @param batches what another recording says of other batches; null where there is none
   */
  public WhatIf(
      IdleAnalysis analysis,
      int recordedWorkers,
      @Nullable AllocatorModel allocator,
      @Nullable BatchFit batches) {
    this.allocator = allocator;
    this.batches = batches;
    replay = new StepReplay(analysis.timeline(), analysis.steps(), analysis.waits(), batches);
    result = analysis.result();
    this.recordedWorkers = recordedWorkers;
    recorded = replay.run(Change.NONE, recordedWorkers, true, null).with(result.memory(), 0);
    unprofiled = replay.run(Change.NONE, recordedWorkers, false, null).with(result.memory(), 0);
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
    if (change.has(Change.Part.NO_GC) && !replay.events().hasCollections()) {
      throw new IllegalArgumentException(
          change.name()
              + ": the profile shows no garbage collection of Python; record with with_stack=True,"
              + " without which it shows none");
    }
    if (change.isOfAllocator() && allocator == null) {
      throw new IllegalArgumentException(
          change.name()
              + ": the profile does not have the requests for memory; record with"
              + " profile_memory=True, or give a memory snapshot of the run with --memory");
    }
    if (change.isOfBatch() && batches == null) {
      throw new IllegalArgumentException(
          change.name()
              + ": one profile does not say what depends on the batch; give another one of the same"
              + " program, such as --other-batch 0.5x=FILE for half the batch");
    }
    if (change.isOfBatch() && change.isOfAllocator()) {
      throw new IllegalArgumentException(
          change.name()
              + ": what the allocator does with another batch is not known; predict the batch and"
              + " its settings one by one");
    }
    AllocatorRun served = served(change);
    Prediction prediction =
        replay.run(change, recordedWorkers, false, change.isOfAllocator() ? served : null);
    if (batches != null && change.isOfBatch()) {
      return prediction.with(isUnknownMemory(change) ? null : batches.memory(change.batch()), 0);
    }
    if (served != null) {
      return prediction.with(served.peak(), served.failures());
    }
    return prediction.with(keepsMemory(change) ? result.memory() : null, 0);
  }

  /** The allocator's run under a change; null where it does what it did, or that is not known. */
  private @Nullable AllocatorRun served(Change change) {
    boolean isChanged =
        change.isOfAllocator()
            || change.has(Change.Part.NO_EMPTY_CACHE)
            || change.has(Change.Part.NO_RETRIES);
    if (allocator == null || !isChanged || change.isOfBatch() || isUnknownMemory(change)) {
      return null;
    }
    return modelled(
        change.has(Change.Part.EXPANDABLE_SEGMENTS) ? "expandable_segments:True" : "",
        change.limitBytes(),
        !change.has(Change.Part.NO_EMPTY_CACHE));
  }

  private AllocatorRun modelled(String conf, long limitBytes, boolean clears) {
    try {
      return Objects.requireNonNull(allocator).run(conf, limitBytes, clears);
    } catch (ProgramException e) {
      throw new IllegalStateException("PyTorch takes these settings", e);
    }
  }

  /** Graphs have pools of their own, and what Python's collector frees is not in a profile. */
  private static boolean isUnknownMemory(Change change) {
    return change.has(Change.Part.GRAPHS) || change.has(Change.Part.NO_GC);
  }

  /** Whether the requests for memory and their order stay the same, and what serves them. */
  private static boolean keepsMemory(Change change) {
    return !isUnknownMemory(change)
        && !change.isOfAllocator()
        && !change.has(Change.Part.NO_EMPTY_CACHE)
        && !change.has(Change.Part.NO_RETRIES);
  }

  /** What the model of the allocator has for the recording as it is; null where it has none. */
  public @Nullable MemoryPeak modelledMemory() {
    return allocator == null ? null : modelled("", -1, true).peak();
  }

  /** One step under a change that was predicted, without the profiler. */
  public ReplayedStep step(Change change, int step) {
    return replay.step(
        change, recordedWorkers, change.isOfAllocator() ? served(change) : null, step);
  }

  /** What a profile shows of the loader of data. */
  public enum Loader {
    /** How long a batch takes, so that other numbers of workers can be predicted. */
    READY,
    /** Batches from workers, of which nobody has said how many there are. */
    UNKNOWN_WORKERS,
    /** Batches that the program hardly waited for: more workers would change nothing. */
    NEVER_AWAITED,
    /** None of PyTorch's. */
    NONE
  }

  /** What the profile shows of the loader of data. */
  public Loader loader() {
    if (!replay.events().hasLoads()) {
      return Loader.NONE;
    }
    if (replay.events().services(recordedWorkers).length > 0) {
      return Loader.READY;
    }
    return recordedWorkers > 0 ? Loader.NEVER_AWAITED : Loader.UNKNOWN_WORKERS;
  }

  private void requireLoads(Change change) {
    String obstacle =
        switch (loader()) {
          case READY -> null;
          case NONE -> "the profile shows no data loader of PyTorch";
          case NEVER_AWAITED ->
              change.workers() >= recordedWorkers
                  ? null
                  : "the program hardly waited for its data, so the profile does not say how long a"
                      + " batch takes, nor whether fewer workers are enough";
          case UNKNOWN_WORKERS ->
              "the batches came from workers, and the profile does not say how many; give their"
                  + " number with --workers";
        };
    if (obstacle != null) {
      throw new IllegalArgumentException(change.name() + ": " + obstacle);
    }
  }

  /** All changes that could help, the best first; the last combines those that do. */
  public List<Prediction> predictAll() {
    List<Prediction> predictions = new ArrayList<>();
    addWorkers(predictions);
    for (String change : candidates()) {
      predictions.add(predict(Change.parse(change)));
    }
    if (batches != null) {
      predictions.add(predict(Change.parse("batch=0.5x")));
      predictions.add(predict(Change.parse("batch=2x")));
      predictions.add(predict(Change.parse("batch=4x")));
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
    if (!isWorth(Cause.DATA) || replay.events().services(recordedWorkers).length == 0) {
      return;
    }
    int now = replay.events().loadsHere() ? 0 : recordedWorkers;
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
    if (isWorth(Cause.RETRY) || isWorth(Cause.RECLAIM)) {
      changes.add("no-retries");
    }
    if (allocator != null && !allocator.isExpandable()) {
      changes.add("expandable-segments");
    }
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
    List<Prediction> helpful =
        predictions.stream().filter(each -> gain(each) >= GAIN && each.failures() == 0).toList();
    List<String> parts = new ArrayList<>();
    helpful.stream()
        .filter(each -> each.change().workers() > 0)
        .min(Comparator.comparingLong(Prediction::stepNanos))
        .ifPresent(each -> parts.add(each.change().name()));
    helpful.stream()
        .filter(each -> each.change().workers() < 0 && each.change().isOfProgram())
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
