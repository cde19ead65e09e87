package org.allocsim.analysis.fleet;

import java.util.Comparator;
import org.allocsim.analysis.fleet.sweep.SweepColumn;
import org.allocsim.analysis.fleet.sweep.SweepRow;
import org.allocsim.simulator.stats.ByteFormat;

/**
 * A card.
 *
 * @param capacityBytes its free memory
 * @param device its profile
 * @param isLimited whether the allocator had a limit of its own
 */
public record FleetCard(long capacityBytes, String device, boolean isLimited)
    implements Comparable<FleetCard> {
  private static final Comparator<FleetCard> ORDER =
      Comparator.comparingLong(FleetCard::capacityBytes)
          .thenComparing(FleetCard::device)
          .thenComparing(FleetCard::isLimited);

  static FleetCard of(SweepRow row) {
    return new FleetCard(
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
  public int compareTo(FleetCard other) {
    return ORDER.compare(this, other);
  }
}
