package org.allocsim.analysis.moment;

import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.allocsim.analysis.moment.MomentQuery.Kind;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.workloads.format.Progress;

/**
 * Stops a program at a moment, in two passes: one finds where the moment is, the other replays up
 * to it. Replays are deterministic, so both see the same.
 */
public final class MomentFinder {
  private MomentFinder() {}

  /**
   * Replays a whole program. Recorded addresses come first where there are any; should the
   * allocator do something else than in the recording, the program is replayed with modelled ones.
   *
   * @param observers look on, at the second run too where there is one
   */
  public static Landmarks survey(ReplayInput input, Progress progress, RunObserver... observers) {
    Survey survey = new Survey(input, progress, observers);
    long divergedRow = survey.result.divergedRow();
    if (divergedRow < 0) {
      return survey.landmarks(-1);
    }
    return new Survey(input.modelled(), progress, observers).landmarks(divergedRow);
  }

  /** The memory at a moment; empty where the program has no such moment. */
  public static Optional<MemoryMoment> at(
      Landmarks landmarks, MomentQuery query, Origins origins, Progress progress) {
    return landmarks
        .row(query, origins)
        .map(row -> stopAfter(landmarks, query, row, origins, progress));
  }

  private static MemoryMoment stopAfter(
      Landmarks landmarks, MomentQuery query, int row, Origins origins, Progress progress) {
    ReplayInput input = landmarks.input();
    Run run = runTo(input, row, new RowProgress(row, progress));
    MemoryLayout layout = MemoryLayout.of(run.policy());
    MemoryMoment.Totals totals = MemoryMoment.Totals.of(layout);
    requireEqual(totals, run.stats());
    AllocationTrace trace = input.trace();
    boolean caused =
        row >= 0
            && query.kind() != Kind.END
            && (trace.kind(row) == RequestKind.ALLOCATE
                || trace.kind(row) == RequestKind.RESTORE_BLOCK);
    int stream = caused ? trace.stream(row) : MemoryMoment.mainStream(layout);
    FailedRequest failure =
        query.kind() == Kind.FIRST_OOM ? landmarks.firstFailure().orElseThrow() : null;
    long deviceFreeBytes =
        failure != null
            ? Objects.requireNonNull(failure.shortage()).deviceFreeBytes()
            : run.simulatedDevice().map(SimulatedDevice::freeBytes).orElse(-1L);
    long timeNanos = row < 0 ? origins.startNanos() : trace.timeNanos(row);
    return new MemoryMoment(
        query.kind(),
        origins.lastRequestAt(row),
        timeNanos,
        timeNanos - origins.startNanos(),
        totals,
        stream,
        layout,
        SlackSplit.of(layout, stream, input.config().largeSegmentBytes()),
        deviceFreeBytes,
        run.simulatedDevice().map(SimulatedDevice::collectivesBytes).orElse(-1L),
        failure);
  }

  /** The layout and the counters are kept apart from each other; they must agree. */
  private static void requireEqual(MemoryMoment.Totals totals, MemoryStats stats) {
    if (totals.reservedBytes() != stats.reservedBytes()
        || totals.allocatedBytes() != stats.allocatedBytes()
        || totals.requestedBytes() + totals.awaitingRequestedBytes() != stats.requestedBytes()) {
      throw new IllegalStateException(
          "the layout " + totals + " contradicts the statistics " + stats.toMap());
    }
  }

  /** A run that ended after a row, with its allocator as it was then. */
  static Run runTo(ReplayInput input, int row, RunObserver... observers) {
    Run run = start(input.setup().endingAfter(row), observers);
    run.finish();
    return run;
  }

  private static Run start(RunSetup setup, RunObserver... observers) {
    try {
      return Run.start(setup, observers);
    } catch (PolicyOptionException | UnfitTraceException e) {
      throw new IllegalStateException("PyTorch's allocator takes every trace", e);
    }
  }

  /** The first pass. */
  private static final class Survey implements RunObserver {
    private final ReplayInput input;
    private final MemoryStats stats;
    private final Run run;
    private final RunResult result;
    private int row;
    private int reservedRow;
    private int allocatedRow;
    private int requestedRow;
    private long reserved;
    private long allocatedThen;
    private long allocated;
    private long requested;

    Survey(ReplayInput input, Progress progress, RunObserver... others) {
      this.input = input;
      row = input.startRow();
      reservedRow = row;
      allocatedRow = row;
      requestedRow = row;
      RunObserver[] observers = Arrays.copyOf(others, others.length + 2);
      observers[others.length] = this;
      observers[others.length + 1] = new RowProgress(input.trace().eventCount(), progress);
      run = start(input.setup(), observers);
      stats = run.stats();
      result = run.finish();
    }

    @Override
    public boolean before(int next) {
      note();
      row = next;
      return true;
    }

    @Override
    public void end() {
      note();
    }

    private void note() {
      if (stats.reservedBytes() > reserved
          || stats.reservedBytes() == reserved && stats.allocatedBytes() > allocatedThen) {
        reserved = stats.reservedBytes();
        allocatedThen = stats.allocatedBytes();
        reservedRow = row;
      }
      if (stats.allocatedBytes() > allocated) {
        allocated = stats.allocatedBytes();
        allocatedRow = row;
      }
      if (stats.requestedBytes() > requested) {
        requested = stats.requestedBytes();
        requestedRow = row;
      }
    }

    Landmarks landmarks(long divergedRow) {
      if (reserved != stats.peakReservedBytes()
          || allocated != stats.peakAllocatedBytes()
          || requested != stats.peakRequestedBytes()) {
        throw new IllegalStateException("a peak lies inside a request: " + stats.toMap());
      }
      return new Landmarks(
          input,
          divergedRow,
          reserved,
          allocated,
          requested,
          reservedRow,
          allocatedRow,
          requestedRow,
          row,
          result,
          run.failures().firstShortage());
    }
  }
}
