package org.allocsim.reports.advice;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.stats.FragmentationTimeline;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.stats.MemoryTimeline.Series;

/**
 * Watches one run of {@link PolicyTrial} and makes a {@link PolicyPortrait} of it.
 *
 * <p>Which peak is the last one is known at the end only, so segments and blocks are kept behind
 * every row that raises it. Where a policy raises it so often that this would take long, they come
 * from a second run.
 */
public final class PolicySitting {
  private static final long NO_OVERSIZE = -1;
  private static final int FEWEST_BUCKETS = 2;
  private static final int BUCKETS = 1 << 12;

  /** Segments and blocks that are looked at for the sake of peaks, at most: a tenth of a second. */
  private static final long MOST_PIECES = 8_000_000;

  /** What is mapped together where a policy maps pages; tells slack apart (PyTorch 2.11). */
  private static final long LARGE_PAGE_BYTES = 20L << 20;

  private final MemoryTimeline timeline;
  private final FragmentationTimeline fragmentation;
  private final Keeper keeper = new Keeper();

  /**
   * For one run.
   *
   * @param inDetail whether memory over time is wanted, beside the moments
   */
  public PolicySitting(boolean inDetail) {
    timeline = new MemoryTimeline(inDetail ? BUCKETS : FEWEST_BUCKETS);
    fragmentation = inDetail ? new FragmentationTimeline(timeline) : null;
  }

  /** Memory over time. */
  public MemoryTimeline timeline() {
    return timeline;
  }

  /** Who must hear of the run, beside whoever else wants to. */
  public PolicyTrial.Audience audience(EffectListener also, PolicyTrial.Observer observer) {
    return new PolicyTrial.Audience(
        timeline,
        fragmentation == null ? also : EffectListeners.both(fragmentation, also),
        PolicyTrial.Observer.both(keeper, observer));
  }

  /** What was seen; the run is over and its result known. */
  public PolicyPortrait portrait(PolicyTrial trial, PolicyResult result) {
    if (!result.isRun()) {
      return new PolicyPortrait(result, null, null, List.of());
    }
    MemoryLayout atPeak =
        keeper.atPeak == null ? layout(trial, result.choice(), keeper.peakRow) : keeper.atPeak;
    SlackSplit slack = SlackSplit.of(atPeak, MemoryMoment.mainStream(atPeak), LARGE_PAGE_BYTES);
    List<PolicyPortrait.Moment> moments = new ArrayList<>();
    if (keeper.atOom != null) {
      moments.add(
          new PolicyPortrait.Moment(PolicyPortrait.Kind.FIRST_OOM, keeper.oomRow, keeper.atOom));
    }
    moments.add(new PolicyPortrait.Moment(PolicyPortrait.Kind.PEAK, keeper.peakRow, atPeak));
    moments.sort(Comparator.comparingInt(PolicyPortrait.Moment::row));
    moments.add(new PolicyPortrait.Moment(PolicyPortrait.Kind.END, keeper.row, keeper.atEnd));
    boolean isEarly = keeper.peakRow <= trial.trace().eventCount() / ReservedParts.EARLY;
    return new PolicyPortrait(
        result.with(ReservedParts.of(result.atPeak(), isEarly, result.peakRequestedBytes(), slack)),
        timeline,
        fragmentation,
        moments);
  }

  /** Runs a choice again, to see what it holds behind a row. */
  private static MemoryLayout layout(PolicyTrial trial, PolicyChoice choice, int row) {
    MemoryLayout[] kept = new MemoryLayout[1];
    PolicyTrial.Observer looker =
        new PolicyTrial.Observer() {
          private int last = -1;

          @Override
          public boolean before(int event, AllocatorPolicy policy, SimulatedDevice device) {
            end(policy, device);
            last = event;
            return kept[0] == null;
          }

          @Override
          public void end(AllocatorPolicy policy, SimulatedDevice device) {
            if (kept[0] == null && last == row) {
              kept[0] = MemoryLayout.of(policy);
            }
          }
        };
    trial.run(
        choice,
        new MemoryStats(NO_OVERSIZE),
        new MemoryTimeline(FEWEST_BUCKETS),
        EffectListeners.NONE,
        looker);
    return kept[0];
  }

  private final class Keeper implements PolicyTrial.Observer {
    private int row = -1;
    private int peakRow = -1;
    private long peakBytes = -1;
    private MemoryLayout atPeak;
    private int oomRow = -1;
    private MemoryLayout atOom;
    private MemoryLayout atEnd;
    private long pieces;
    private long ownNanos;

    @Override
    public boolean before(int event, AllocatorPolicy policy, SimulatedDevice device) {
      look(policy);
      row = event;
      return true;
    }

    @Override
    public void end(AllocatorPolicy policy, SimulatedDevice device) {
      look(policy);
      atEnd = keep(policy);
    }

    @Override
    public long ownNanos() {
      return ownNanos;
    }

    private void look(AllocatorPolicy policy) {
      if (timeline.peakBytes(Series.RESERVED) > peakBytes) {
        peakBytes = timeline.peakBytes(Series.RESERVED);
        peakRow = row;
        atPeak = pieces > MOST_PIECES ? null : keep(policy);
      }
      if (atOom == null && timeline.failureCount() > 0) {
        oomRow = row;
        atOom = keep(policy);
      }
    }

    private MemoryLayout keep(AllocatorPolicy policy) {
      long startNanos = System.nanoTime();
      MemoryLayout layout = MemoryLayout.of(policy);
      pieces += layout.blockCount() + layout.segmentCount();
      ownNanos += System.nanoTime() - startNanos;
      return layout;
    }
  }
}
