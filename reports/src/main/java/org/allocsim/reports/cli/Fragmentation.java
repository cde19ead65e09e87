package org.allocsim.reports.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.stats.MemoryTimeline.Series;

/**
 * Where the reserved memory goes, at the end of a run and when most was reserved. The parts add up:
 * reserved = requested + internal + inactive, where requested and internal include blocks that
 * await their free.
 *
 * @param end the end of the run
 * @param peak the moment at which the reserved memory first reached its peak
 * @param inactiveSplitBytes inactive parts of partly used segments, at the end
 * @param largestInactiveBlockBytes the largest block that could be handed out, at the end
 */
record Fragmentation(
    Moment end, Moment peak, long inactiveSplitBytes, long largestInactiveBlockBytes) {

  /** Memory at one moment, in bytes. */
  record Moment(long reservedBytes, long activeBytes, long allocatedBytes, long requestedBytes) {
    /** Lost to rounding inside active blocks. */
    long internalBytes() {
      return activeBytes - requestedBytes;
    }

    /** Cached: held from the device, not in use. */
    long inactiveBytes() {
      return reservedBytes - activeBytes;
    }

    private Map<String, Object> toMap() {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("reserved_bytes", reservedBytes);
      map.put("active_bytes", activeBytes);
      map.put("allocated_bytes", allocatedBytes);
      map.put("requested_bytes", requestedBytes);
      map.put("internal_bytes", internalBytes());
      map.put("inactive_bytes", inactiveBytes());
      return map;
    }
  }

  static Fragmentation of(MemoryStats stats, MemoryTimeline timeline, MemoryLayout layout) {
    long largest = 0;
    for (int block = 0; block < layout.blockCount(); block++) {
      if (layout.state(block) == BlockState.INACTIVE) {
        largest = Math.max(largest, layout.blockBytes(block));
      }
    }
    return new Fragmentation(
        new Moment(
            stats.reservedBytes(),
            stats.activeBytes(),
            stats.allocatedBytes(),
            stats.requestedBytes()),
        new Moment(
            timeline.bytesAtPeakReserved(Series.RESERVED),
            timeline.bytesAtPeakReserved(Series.ACTIVE),
            timeline.bytesAtPeakReserved(Series.ALLOCATED),
            timeline.bytesAtPeakReserved(Series.REQUESTED)),
        stats.inactiveSplitBytes(),
        largest);
  }

  /** 1 − largest inactive block ÷ inactive bytes, at the end; not a number without any. */
  double externalRatio() {
    return end.inactiveBytes() == 0
        ? Double.NaN
        : 1 - (double) largestInactiveBlockBytes / end.inactiveBytes();
  }

  /** The figures under the names of the JSON output. */
  Map<String, Object> toMap() {
    Map<String, Object> atEnd = end.toMap();
    atEnd.put("inactive_split_bytes", inactiveSplitBytes);
    atEnd.put("largest_inactive_block_bytes", largestInactiveBlockBytes);
    atEnd.put("external_ratio", externalRatio());
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("at_end", atEnd);
    map.put("at_peak_reserved", peak.toMap());
    return map;
  }
}
