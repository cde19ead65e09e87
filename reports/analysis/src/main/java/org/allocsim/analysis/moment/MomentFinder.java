package org.allocsim.analysis.moment;

import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.allocsim.analysis.moment.MomentQuery.Kind;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.program.Trial;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
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
  public static Landmarks survey(Program program, Progress progress, RunObserver... observers) {
    Trial<Survey> trial =
        Trial.of(
            program,
            (setup, isRecorded) -> new Survey(setup, isRecorded, progress, observers),
            survey -> survey.result.divergedRow());
    return trial.outcome().landmarks(program, trial);
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
    Run run = runTo(landmarks, row, new RowProgress(row, progress));
    MemoryLayout layout = MemoryLayout.of(run.policy());
    MemoryMoment.Totals totals = MemoryMoment.Totals.of(layout);
    requireEqual(totals, run.stats());
    AllocationTrace trace = landmarks.program().input().trace();
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
        SlackSplit.of(layout, stream, landmarks.program().config().allocator().largeSegmentBytes()),
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
  static Run runTo(Landmarks landmarks, int row, RunObserver... observers) {
    Run run = start(landmarks.setup().endingAfter(row), observers);
    run.finish();
    return run;
  }

  private static Run start(RunSetup setup, RunObserver... observers) {
    try {
      return Run.start(setup, observers);
    } catch (PolicyOptionException | UnfitTraceException e) {
      throw new IllegalStateException("PyTorch's allocator accepts every trace", e);
    }
  }

  /** The first pass. */
  private static final class Survey implements RunObserver {
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

    Survey(RunSetup setup, boolean isRecorded, Progress progress, RunObserver... others) {
      // What was recorded begins after what the allocator held then.
      row = isRecorded ? setup.trace().prologueCount() - 1 : -1;
      reservedRow = row;
      allocatedRow = row;
      requestedRow = row;
      RunObserver[] observers = Arrays.copyOf(others, others.length + 2);
      observers[others.length] = this;
      observers[others.length + 1] = new RowProgress(setup.trace().eventCount(), progress);
      run = start(setup, observers);
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

    Landmarks landmarks(Program program, Trial<Survey> trial) {
      if (reserved != stats.peakReservedBytes()
          || allocated != stats.peakAllocatedBytes()
          || requested != stats.peakRequestedBytes()) {
        throw new IllegalStateException("a peak lies inside a request: " + stats.toMap());
      }
      return new Landmarks(
          program,
          trial.isRecorded(),
          trial.divergedRow(),
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
