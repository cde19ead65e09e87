package org.allocsim.reports.advice;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.allocsim.simulator.device.DriverCall;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.stats.FragmentationTimeline;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.MemoryTimeline;

/**
 * What a policy did on a trace in enough detail for charts. It takes two replays, as the row of the
 * peak is known behind the first one only; all but {@code result} is null where the policy was not
 * run.
 *
 * @param result its figures
 * @param timeline memory over time
 * @param fragmentation useless shares of reserved memory over time
 * @param driverNanos time of the driver's calls by kind, those that occur
 * @param atPeak segments and blocks behind the request that first took reserved memory to its peak
 * @param slackAtPeak where the slack was then
 */
public record PolicyPortrait(
    PolicyResult result,
    MemoryTimeline timeline,
    FragmentationTimeline fragmentation,
    Map<DriverCall, Long> driverNanos,
    MemoryLayout atPeak,
    SlackSplit slackAtPeak) {
  private static final long NO_OVERSIZE = -1;
  private static final int BUCKETS = 1 << 12;

  /** What is mapped together where a policy maps pages; tells slack apart (PyTorch 2.11). */
  private static final long LARGE_PAGE_BYTES = 20L << 20;

  /** Runs the choices of results again, on all cores; the portraits are in the same order. */
  public static List<PolicyPortrait> ofAll(
      PolicyTrial trial, List<PolicyResult> results, PolicyTrial.Progress progress) {
    List<Callable<PolicyPortrait>> tasks = new ArrayList<>();
    for (PolicyResult result : results) {
      tasks.add(() -> of(trial, result));
    }
    return ParallelTasks.run(tasks, progress::done);
  }

  /** Runs the choice of a result again. */
  public static PolicyPortrait of(PolicyTrial trial, PolicyResult result) {
    if (!result.isRun()) {
      return new PolicyPortrait(result, null, null, Map.of(), null, null);
    }
    PolicyChoice choice = result.choice();
    MemoryStats stats = new MemoryStats(NO_OVERSIZE);
    PeakFinder finder = new PeakFinder(stats);
    trial.run(choice, stats, new MemoryTimeline(2), EffectListeners.NONE, finder);
    MemoryTimeline timeline = new MemoryTimeline(BUCKETS);
    FragmentationTimeline fragmentation = new FragmentationTimeline(timeline);
    Sitting sitting = new Sitting(finder.peakRow);
    trial.run(choice, new MemoryStats(NO_OVERSIZE), timeline, fragmentation, sitting);
    return new PolicyPortrait(
        result,
        timeline,
        fragmentation,
        sitting.driverNanos,
        sitting.layout,
        SlackSplit.of(sitting.layout, MemoryMoment.mainStream(sitting.layout), LARGE_PAGE_BYTES));
  }

  /** Finds the row behind which reserved memory first has its peak. */
  private static final class PeakFinder implements PolicyTrial.Observer {
    private final MemoryStats stats;
    private long peakBytes;
    private int peakRow = -1;
    private int lastRow = -1;

    PeakFinder(MemoryStats stats) {
      this.stats = stats;
    }

    @Override
    public boolean before(int event, AllocatorPolicy policy, SimulatedDevice device) {
      look();
      lastRow = event;
      return true;
    }

    @Override
    public void end(AllocatorPolicy policy, SimulatedDevice device) {
      look();
    }

    private void look() {
      if (stats.peakReservedBytes() > peakBytes) {
        peakBytes = stats.peakReservedBytes();
        peakRow = lastRow;
      }
    }
  }

  /** Keeps what the policy holds behind a row. */
  private static final class Sitting implements PolicyTrial.Observer {
    private final int row;
    private final Map<DriverCall, Long> driverNanos = new EnumMap<>(DriverCall.class);
    private MemoryLayout layout;
    private int lastRow = -1;

    Sitting(int row) {
      this.row = row;
    }

    @Override
    public boolean before(int event, AllocatorPolicy policy, SimulatedDevice device) {
      look(policy);
      lastRow = event;
      return true;
    }

    @Override
    public void end(AllocatorPolicy policy, SimulatedDevice device) {
      look(policy);
      if (layout == null) {
        layout = MemoryLayout.of(policy);
      }
      for (DriverCall call : DriverCall.values()) {
        if (device.driverNanos(call) > 0) {
          driverNanos.put(call, device.driverNanos(call));
        }
      }
    }

    private void look(AllocatorPolicy policy) {
      if (layout == null && lastRow == row) {
        layout = MemoryLayout.of(policy);
      }
    }
  }
}
