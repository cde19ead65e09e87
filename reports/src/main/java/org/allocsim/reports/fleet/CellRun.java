package org.allocsim.reports.fleet;

import java.util.EnumMap;
import java.util.Map;
import org.allocsim.simulator.device.DriverCall;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.workloads.source.DeviceTrace;

/** Makes one run of a sweep and its row. */
final class CellRun {
  /** PyTorch's {@code max_split_size} where it is not set: no block counts as oversize. */
  private static final long NO_OVERSIZE = -1;

  private CellRun() {}

  /**
   * Runs.
   *
   * @param trace what the file's columns are set to
   */
  static SweepRow run(
      DeviceTrace fleetTrace, SweepGrid grid, SweepCell cell, SweepRow.Builder trace) {
    SweepRow.Builder row = cell.describe(trace.copy());
    if (cell.obstacle() != null) {
      return notRun(row, cell.obstacle());
    }
    MemoryStats stats = new MemoryStats(NO_OVERSIZE);
    End end = new End();
    RunResult result =
        new PolicyTrial(
                fleetTrace.trace(),
                fleetTrace.device(),
                cell.profile().withHistory(fleetTrace.addresses()),
                cell.limitBytes(),
                cell.version(),
                grid.afterOom())
            .run(cell.choice(), stats, new MemoryTimeline(2), EffectListeners.NONE, end);
    if (!result.isRun()) {
      return notRun(row, result.notRunBecause());
    }
    FailedRequest first = result.failures().isEmpty() ? null : result.failures().getFirst();
    row.set(SweepColumn.OUTCOME, result.passes() ? "passed" : "oom")
        .set(SweepColumn.OOM, !result.passes())
        .set(SweepColumn.OOMS, result.failureCount())
        .set(SweepColumn.FIRST_OOM_REQUEST_INDEX, first == null ? null : first.requestIndex())
        .set(SweepColumn.FIRST_OOM_REQUESTED_BYTES, first == null ? null : first.requestedBytes())
        .set(SweepColumn.REQUESTS, result.requests())
        .set(SweepColumn.EVENTS, result.events())
        .set(SweepColumn.PEAK_REQUESTED_BYTES, result.peakRequestedBytes())
        .set(SweepColumn.PEAK_ALLOCATED_BYTES, result.peakAllocatedBytes())
        .set(SweepColumn.PEAK_ACTIVE_BYTES, stats.peakActiveBytes())
        .set(SweepColumn.PEAK_RESERVED_BYTES, result.peakReservedBytes())
        .set(SweepColumn.PEAK_DEVICE_BYTES, result.peakDeviceBytes())
        .set(SweepColumn.UTILISATION_RATIO, finite(result.utilisation()))
        .set(SweepColumn.AT_PEAK_INTERNAL_BYTES, result.atPeak().internalBytes())
        .set(SweepColumn.AT_PEAK_INACTIVE_BYTES, result.atPeak().externalBytes())
        .set(SweepColumn.AT_END_RESERVED_BYTES, stats.reservedBytes())
        .set(SweepColumn.AT_END_INACTIVE_BYTES, stats.reservedBytes() - stats.activeBytes())
        .set(SweepColumn.AT_END_LARGEST_INACTIVE_BLOCK_BYTES, end.largestInactiveBytes)
        .set(
            SweepColumn.AT_END_EXTERNAL_FRAGMENTATION_RATIO,
            externalRatio(end.largestInactiveBytes, stats.reservedBytes() - stats.activeBytes()))
        .set(SweepColumn.ALLOC_RETRIES, stats.allocationRetries())
        .set(SweepColumn.SYNC_ALL_STREAMS, stats.get("num_sync_all_streams"))
        .set(SweepColumn.DRIVER_CALLS, result.driverCalls())
        .set(SweepColumn.DRIVER_NANOS, result.driverNanos())
        .set(SweepColumn.SIMULATED_NANOS, result.time() == null ? null : result.time().endNanos())
        .set(SweepColumn.SECONDS, result.seconds());
    for (SweepColumn column : SweepColumn.all()) {
      column.call().ifPresent(call -> row.set(column, end.driverCalls.get(call)));
    }
    return row.build();
  }

  /** The row of a file that is no trace. */
  static SweepRow unreadable(SweepRow.Builder row, String error) {
    return row.set(SweepColumn.OUTCOME, "unreadable").set(SweepColumn.ERROR, error).build();
  }

  static SweepRow notRun(SweepRow.Builder row, String reason) {
    return row.set(SweepColumn.OUTCOME, "not_run").set(SweepColumn.ERROR, reason).build();
  }

  private static Double finite(double value) {
    return Double.isFinite(value) ? value : null;
  }

  private static Double externalRatio(long largestBytes, long inactiveBytes) {
    return inactiveBytes == 0 ? null : 1 - (double) largestBytes / inactiveBytes;
  }

  /** Looks at allocator and card behind the last request. */
  private static final class End implements PolicyTrial.Observer {
    private final Map<DriverCall, Long> driverCalls = new EnumMap<>(DriverCall.class);
    private long largestInactiveBytes;

    @Override
    public boolean before(int event, AllocatorPolicy policy, SimulatedDevice device) {
      return true;
    }

    @Override
    public void end(AllocatorPolicy policy, SimulatedDevice device) {
      for (DriverCall call : DriverCall.values()) {
        driverCalls.put(call, device.driverCalls(call));
      }
      MemoryLayout layout = MemoryLayout.of(policy);
      for (int block = 0; block < layout.blockCount(); block++) {
        if (layout.state(block) == BlockState.INACTIVE) {
          largestInactiveBytes = Math.max(largestInactiveBytes, layout.blockBytes(block));
        }
      }
    }
  }
}
