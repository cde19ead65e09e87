package org.allocsim.analysis.moment;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.run.TimelineObserver;
import org.allocsim.simulator.stats.FragmentationTimeline;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.trace.RequestKind;
import org.jspecify.annotations.Nullable;

/**
 * Keeps segments and blocks of one run at the moments that matter.
 *
 * <p>Which peak is the last one is known at the end only, so segments and blocks are kept after
 * every row that raises it. Where a policy raises it so often that this would take long, they come
 * from a second run that ends there.
 */
public final class MomentObserver implements RunObserver {
  /** Segments and blocks that are looked at for the sake of peaks, at most: a tenth of a second. */
  private static final long MAX_PIECES = 8_000_000;

  /** What is mapped together where a policy maps pages; classifies slack (PyTorch 2.11). */
  private static final long LARGE_PAGE_BYTES = 20L << 20;

  private final Optional<ObservedRun.OverTime> overTime;

  @SuppressWarnings("NullAway.Init") // a run begins before its rows come
  private Run run;

  /** The peak of which {@link #atPeak} is the layout, where there was time to keep it. */
  private RunResult.@Nullable Moment peak;

  private @Nullable MemoryLayout atPeak;
  private int failureRow = -1;
  private @Nullable MemoryLayout atFailure;

  @SuppressWarnings("NullAway.Init") // made by the end of the run
  private MemoryLayout atEnd;

  private long pieces;
  private long ownNanos;

  /** For one run, of which memory over time does not matter. */
  public MomentObserver() {
    overTime = Optional.empty();
  }

  /**
   * For one run.
   *
   * @param timeline gets memory over time
   */
  public MomentObserver(MemoryTimeline timeline) {
    overTime = Optional.of(new ObservedRun.OverTime(timeline, new FragmentationTimeline(timeline)));
  }

  /** Everything that must observe the run, before others that want to. */
  public RunObserver[] with(RunObserver... others) {
    Stream<RunObserver> charted =
        overTime.stream()
            .flatMap(each ->
                Stream.of(
                    new TimelineObserver(each.memory()),
                    RunObserver.hearing(each.fragmentation())));
    return Stream.of(charted, Stream.of(this), Stream.of(others))
        .flatMap(each -> each)
        .toArray(RunObserver[]::new);
  }

  @Override
  public void begin(Run begun) {
    run = begun;
  }

  @Override
  public boolean before(int row) {
    look(run.setup().trace().kind(row) == RequestKind.ALLOCATE);
    return true;
  }

  @Override
  public void end() {
    look(false);
    atEnd = keep();
  }

  @Override
  public long ownNanos() {
    return ownNanos;
  }

  /**
   * @param climbs whether an allocation comes next, so that a fuller moment is likely
   */
  private void look(boolean climbs) {
    if (!climbs && !run.peakSoFar().equals(peak)) {
      peak = run.peakSoFar();
      atPeak = pieces <= MAX_PIECES && isNow(peak) ? keep() : null;
    }
    if (atFailure == null && run.failures().count() > 0) {
      failureRow = run.row();
      atFailure = keep();
    }
  }

  private boolean isNow(RunResult.Moment moment) {
    return run.stats().reservedBytes() == moment.reservedBytes()
        && run.stats().allocatedBytes() == moment.allocatedBytes();
  }

  private MemoryLayout keep() {
    long startNanos = System.nanoTime();
    MemoryLayout layout = MemoryLayout.of(run.policy());
    pieces += layout.blockCount() + layout.segmentCount();
    ownNanos += System.nanoTime() - startNanos;
    return layout;
  }

  /** What was observed; the run is over and its result known. */
  public ObservedRun observed(RunResult result) {
    if (!result.isRun()) {
      return new ObservedRun(result, Optional.empty(), Optional.empty(), List.of());
    }
    MemoryLayout atPeak =
        this.atPeak == null || !result.atPeak().equals(peak)
            ? layoutAfter(result.setup(), result.peakRow())
            : this.atPeak;
    SlackSplit slack = SlackSplit.of(atPeak, MemoryMoment.mainStream(atPeak), LARGE_PAGE_BYTES);
    List<ObservedRun.Moment> moments = new ArrayList<>();
    if (atFailure != null) {
      moments.add(new ObservedRun.Moment(ObservedRun.Kind.FIRST_OOM, failureRow, atFailure));
    }
    moments.add(new ObservedRun.Moment(ObservedRun.Kind.PEAK, result.peakRow(), atPeak));
    moments.sort(Comparator.comparingInt(ObservedRun.Moment::row));
    moments.add(new ObservedRun.Moment(ObservedRun.Kind.END, result.lastRow(), atEnd));
    int rows = result.setup().trace().eventCount();
    boolean isEarly = result.peakRow() <= rows / ReservedParts.EARLY;
    return new ObservedRun(
        result,
        Optional.of(ReservedParts.of(result.atPeak(), isEarly, result.peakRequestedBytes(), slack)),
        overTime,
        moments);
  }

  /** Runs again, to see what is held after a row. */
  private static MemoryLayout layoutAfter(RunSetup setup, int row) {
    MomentObserver observer = new MomentObserver();
    // Peaks on the way there need not be kept.
    observer.pieces = MAX_PIECES + 1;
    Run.of(setup.endingAfter(row), observer);
    return observer.atEnd;
  }
}
