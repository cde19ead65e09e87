package org.allocsim.analysis.fleet;

import org.allocsim.analysis.fleet.sweep.SweepColumn;
import org.allocsim.analysis.fleet.sweep.SweepRow;

/**
 * The figures of a run that count.
 *
 * @param choice what served the requests
 * @param isRecordedConf whether under the settings that the trace was recorded with
 * @param oom whether a request failed
 * @param peakReservedBytes maximum that was reserved
 * @param roomBytes maximum that could be reserved on the GPU under the allocator's own limit
 * @param driverNanos time in the driver
 */
record FleetRun(
    FleetChoice choice,
    boolean isRecordedConf,
    boolean oom,
    long peakReservedBytes,
    long roomBytes,
    long driverNanos) {
  static FleetRun of(SweepRow row) {
    long gpuBytes = row.number(SweepColumn.CAPACITY_BYTES);
    long limitBytes =
        row.get(SweepColumn.LIMIT_BYTES) == null ? gpuBytes : row.number(SweepColumn.LIMIT_BYTES);
    return new FleetRun(
        FleetChoice.of(row),
        row.is(SweepColumn.IS_RECORDED_CONF),
        row.is(SweepColumn.OOM),
        row.number(SweepColumn.PEAK_RESERVED_BYTES),
        Math.min(gpuBytes, limitBytes),
        row.number(SweepColumn.DRIVER_NANOS));
  }

  /** Whether it is of PyTorch's allocator as it is without any setting. */
  boolean isDefault() {
    return choice.isSetting() && choice.conf().isEmpty();
  }

  /** Share of the baseline's peak of reserved bytes that it saves; negative where it needs more. */
  double saving(FleetRun baseline) {
    return baseline.peakReservedBytes == 0
        ? 0
        : 1 - (double) peakReservedBytes / baseline.peakReservedBytes;
  }
}
