package org.allocsim.analysis.fleet.sweep;

import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.workloads.source.DeviceTrace;
import org.jspecify.annotations.Nullable;

/** Makes one run of a sweep and its row. */
final class CellRun {
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
    End end = new End();
    RunResult result =
        Run.of(
            new RunSetup(
                    fleetTrace.trace(),
                    fleetTrace.device(),
                    cell.choice(),
                    cell.limitBytes(),
                    cell.profile().withHistory(fleetTrace.addresses()))
                .with(grid.afterOom()),
            end);
    if (!result.isRun()) {
      return notRun(row, result.notRunBecause());
    }
    FailedRequest first = result.failures().isEmpty() ? null : result.failures().getFirst();
    long reservedBytes = result.stat("reserved_bytes.all.current");
    long activeBytes = result.stat("active_bytes.all.current");
    row.set(SweepColumn.OUTCOME, result.passes() ? "passed" : "oom")
        .set(SweepColumn.OOM, !result.passes())
        .set(SweepColumn.OOMS, result.failureCount())
        .set(SweepColumn.FIRST_OOM_REQUEST_INDEX, first == null ? null : first.requestIndex())
        .set(SweepColumn.FIRST_OOM_REQUESTED_BYTES, first == null ? null : first.requestedBytes())
        .set(SweepColumn.REQUESTS, result.requests())
        .set(SweepColumn.EVENTS, result.events())
        .set(SweepColumn.PEAK_REQUESTED_BYTES, result.peakRequestedBytes())
        .set(SweepColumn.PEAK_ALLOCATED_BYTES, result.peakAllocatedBytes())
        .set(SweepColumn.PEAK_ACTIVE_BYTES, result.stat("active_bytes.all.peak"))
        .set(SweepColumn.PEAK_RESERVED_BYTES, result.peakReservedBytes())
        .set(SweepColumn.PEAK_DEVICE_BYTES, result.peakDeviceBytes())
        .set(SweepColumn.UTILISATION_RATIO, finite(result.utilisation()))
        .set(SweepColumn.AT_PEAK_INTERNAL_BYTES, result.atPeak().internalBytes())
        .set(SweepColumn.AT_PEAK_INACTIVE_BYTES, result.atPeak().externalBytes())
        .set(SweepColumn.AT_END_RESERVED_BYTES, reservedBytes)
        .set(SweepColumn.AT_END_INACTIVE_BYTES, reservedBytes - activeBytes)
        .set(SweepColumn.AT_END_LARGEST_INACTIVE_BLOCK_BYTES, end.largestInactiveBytes)
        .set(
            SweepColumn.AT_END_EXTERNAL_FRAGMENTATION_RATIO,
            externalRatio(end.largestInactiveBytes, reservedBytes - activeBytes))
        .set(SweepColumn.ALLOC_RETRIES, result.stat("num_alloc_retries"))
        .set(SweepColumn.SYNC_ALL_STREAMS, result.stat("num_sync_all_streams"))
        .set(SweepColumn.DRIVER_CALLS, result.driverCalls())
        .set(SweepColumn.DRIVER_NANOS, result.driverNanos())
        .set(SweepColumn.SIMULATED_NANOS, result.time() == null ? null : result.time().endNanos())
        .set(SweepColumn.SECONDS, result.seconds());
    for (SweepColumn column : SweepColumn.all()) {
      column.call().ifPresent(call -> row.set(column, result.driverCallsByKind().get(call)));
    }
    return row.build();
  }

  /** The row of a file that is no trace. */
  static SweepRow unreadable(SweepRow.Builder row, String error) {
    return row.set(SweepColumn.OUTCOME, "unreadable").set(SweepColumn.ERROR, error).build();
  }

  static SweepRow notRun(SweepRow.Builder row, @Nullable String reason) {
    return row.set(SweepColumn.OUTCOME, "not_run").set(SweepColumn.ERROR, reason).build();
  }

  private static @Nullable Double finite(double value) {
    return Double.isFinite(value) ? value : null;
  }

  private static @Nullable Double externalRatio(long largestBytes, long inactiveBytes) {
    return inactiveBytes == 0 ? null : 1 - (double) largestBytes / inactiveBytes;
  }

  /** Looks for the largest block that could be handed out after the last request. */
  private static final class End implements RunObserver {
    @SuppressWarnings("NullAway.Init") // a run begins before it ends
    private Run run;

    private long largestInactiveBytes;

    @Override
    public void begin(Run begun) {
      run = begun;
    }

    @Override
    public void end() {
      MemoryLayout layout = MemoryLayout.of(run.policy());
      for (int block = 0; block < layout.blockCount(); block++) {
        if (layout.state(block) == BlockState.INACTIVE) {
          largestInactiveBytes = Math.max(largestInactiveBytes, layout.blockBytes(block));
        }
      }
    }
  }
}
