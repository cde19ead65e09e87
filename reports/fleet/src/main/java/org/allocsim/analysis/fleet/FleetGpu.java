package org.allocsim.analysis.fleet;

import java.util.Comparator;
import org.allocsim.analysis.fleet.sweep.SweepColumn;
import org.allocsim.analysis.fleet.sweep.SweepRow;
import org.allocsim.simulator.stats.ByteFormat;

/**
 * A GPU.
 *
 * @param capacityBytes its free memory
 * @param device its profile
 * @param isLimited whether the allocator had a limit of its own
 */
public record FleetGpu(long capacityBytes, String device, boolean isLimited)
    implements Comparable<FleetGpu> {
  private static final Comparator<FleetGpu> ORDER =
      Comparator.comparingLong(FleetGpu::capacityBytes)
          .thenComparing(FleetGpu::device)
          .thenComparing(FleetGpu::isLimited);

  static FleetGpu of(SweepRow row) {
    return new FleetGpu(
        row.number(SweepColumn.CAPACITY_BYTES),
        row.text(SweepColumn.DEVICE),
        row.get(SweepColumn.LIMIT_BYTES) != null);
  }

  /** As tables and charts name it. */
  public String label() {
    String size = device.equals("capacity") ? ByteFormat.human(capacityBytes) : device;
    return isLimited ? size + ", limited" : size;
  }

  @Override
  public int compareTo(FleetGpu other) {
    return ORDER.compare(this, other);
  }
}
