package org.allocsim.analysis.idle.replay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.idle.IdleAnalysis;
import org.allocsim.analysis.idle.memory.MemoryPeak;
import org.allocsim.analysis.idle.profile.RowKind;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.allocsim.analysis.idle.timeline.Steps;
import org.allocsim.analysis.idle.timeline.Timeline;
import org.allocsim.analysis.idle.timeline.WorkKind;
import org.jspecify.annotations.Nullable;

/**
 * What the work of a step takes at other batches, from two recordings of one program: a part that
 * does not depend on the batch and a part that grows with it, for each piece of work.
 *
 * <p>Work is known again by the operator that queues it, what kind of work it is, and its place
 * among those of the step, since another batch may use another kernel. Where an operator queues
 * more or fewer pieces at the other batch, all of it in a step is taken together. What only one of
 * the recordings has, and the host's own code, do not change.
 */
public final class BatchFit {
  private static final int NONE = -1;

  /** A fit far from both recordings may go below nothing. */
  private static final double MIN_RATIO = 0.01;

  private static final int MAX_DEPTH = 256;

  private final double otherFactor;

  /** Of each piece of work, how many times as long it takes at the other batch. */
  private final double[] workRatios;

  private final double sharedRatio;
  private final double loadRatio;
  private final @Nullable MemoryPeak memory;
  private final @Nullable MemoryPeak otherMemory;

  /**
   * Fits both recordings.
   *
   * @param otherFactor how many times as large the batch of the other one is; not 1
   */
  public BatchFit(IdleAnalysis one, IdleAnalysis other, double otherFactor) {
    this.otherFactor = otherFactor;
    Grouped groups = new Grouped(one);
    Grouped others = new Grouped(other);
    workRatios = new double[one.timeline().workCount()];
    Arrays.fill(workRatios, 1);
    double sharedNanos = 0;
    double allNanos = 0;
    for (Map.Entry<Key, Group> entry : groups.byKey.entrySet()) {
      Group group = entry.getValue();
      Group same = others.byKey.get(entry.getKey());
      double nanos = group.nanosOf(NONE);
      allNanos += nanos;
      if (same != null) {
        sharedNanos += nanos;
        fit(group, same, groups.steps, others.steps);
      }
    }
    sharedRatio = allNanos == 0 ? 0 : sharedNanos / allNanos;
    loadRatio = loadRatio(one, other);
    memory = one.result().memory();
    otherMemory = other.result().memory();
  }

  /** The part of the GPU's time in the first recording whose work the other one has, too. */
  public double sharedRatio() {
    return sharedRatio;
  }

  /** What queues work, and of which kind it is. */
  private record Key(String operator, WorkKind kind) {}

  /** Work of one key: its steps, its pieces in the order in which they were queued. */
  private static final class Group {
    private final List<List<Integer>> steps = new ArrayList<>();
    private final Timeline timeline;

    Group(Timeline timeline, int count) {
      this.timeline = timeline;
      for (int step = 0; step < count; step++) {
        steps.add(new ArrayList<>());
      }
    }

    /** Pieces in each step; −1 where steps differ. */
    int pieces() {
      int pieces = steps.getFirst().size();
      return steps.stream().allMatch(step -> step.size() == pieces) ? pieces : NONE;
    }

    long nanos(int work) {
      return timeline.workEnd(work) - timeline.workStart(work);
    }

    /** Time of one piece in all steps; of all pieces for −1. */
    double nanosOf(int piece) {
      long sum = 0;
      for (List<Integer> step : steps) {
        for (int i = 0; i < step.size(); i++) {
          sum += piece == NONE || piece == i ? nanos(step.get(i)) : 0;
        }
      }
      return sum;
    }
  }

  /** The work of the steps by what queues it. */
  private static final class Grouped {
    private final Map<Key, Group> byKey = new HashMap<>();
    private final int steps;

    Grouped(IdleAnalysis analysis) {
      Timeline timeline = analysis.timeline();
      Steps ofAnalysis = analysis.steps();
      steps = ofAnalysis.count();
      for (int call = 0; call < timeline.callCount(); call++) {
        int step = ofAnalysis.onHost(timeline.callStart(call));
        if (step < 0 || step >= steps) {
          continue;
        }
        for (int work = timeline.firstWorkOf(call);
            work != NONE;
            work = timeline.nextWorkOfCall(work)) {
          Key key = new Key(operator(timeline, call), timeline.workKind(work));
          byKey.computeIfAbsent(key, _ -> new Group(timeline, steps)).steps.get(step).add(work);
        }
      }
    }

    private static String operator(Timeline timeline, int call) {
      TimeProfile profile = timeline.profile();
      int at = timeline.parent(timeline.callRow(call));
      for (int depth = 0; at != NONE && depth < MAX_DEPTH; depth++) {
        if (profile.kind(at) == RowKind.OPERATOR) {
          return profile.name(at);
        }
        at = timeline.parent(at);
      }
      return "";
    }
  }

  private void fit(Group group, Group other, int steps, int otherSteps) {
    boolean isPiecewise = group.pieces() != NONE && group.pieces() == other.pieces();
    double together = ratio(group.nanosOf(NONE) / steps, other.nanosOf(NONE) / otherSteps);
    int pieces = isPiecewise ? group.pieces() : 0;
    double[] ratios = new double[pieces];
    for (int piece = 0; piece < pieces; piece++) {
      ratios[piece] = ratio(group.nanosOf(piece) / steps, other.nanosOf(piece) / otherSteps);
    }
    for (List<Integer> step : group.steps) {
      for (int i = 0; i < step.size(); i++) {
        workRatios[step.get(i)] = isPiecewise ? ratios[i] : together;
      }
    }
  }

  private static double ratio(double nanos, double otherNanos) {
    return nanos > 0 ? otherNanos / nanos : 1;
  }

  /** How many times as long the program's own process takes for a batch of data. */
  private static double loadRatio(IdleAnalysis one, IdleAnalysis other) {
    return ratio(loadNanos(one), loadNanos(other));
  }

  private static double loadNanos(IdleAnalysis analysis) {
    Timeline timeline = analysis.timeline();
    TimeProfile profile = timeline.profile();
    long sum = 0;
    int count = 0;
    for (int row = 0; row < profile.count(); row++) {
      if (timeline.isLoad(row) && timeline.isLoadedHere(row)) {
        sum += profile.durationNanos(row);
        count++;
      }
    }
    return count == 0 ? 0 : (double) sum / count;
  }

  private double at(double ratio, double factor) {
    return Math.max(MIN_RATIO, 1 + (ratio - 1) * (factor - 1) / (otherFactor - 1));
  }

  /** How many times as long work takes at so many times the batch. */
  double ofWork(int work, double factor) {
    return at(workRatios[work], factor);
  }

  /** How many times as long it takes to load a batch. */
  double ofLoad(double factor) {
    return at(loadRatio, factor);
  }

  /** The peak at so many times the batch; null where a recording has no memory. */
  @Nullable MemoryPeak memory(double factor) {
    if (memory == null || otherMemory == null) {
      return null;
    }
    return new MemoryPeak(
        line(memory.allocatedBytes(), otherMemory.allocatedBytes(), factor),
        line(memory.reservedBytes(), otherMemory.reservedBytes(), factor));
  }

  private long line(long bytes, long otherBytes, double factor) {
    return Math.max(0, bytes + Math.round((otherBytes - bytes) * (factor - 1) / (otherFactor - 1)));
  }
}
