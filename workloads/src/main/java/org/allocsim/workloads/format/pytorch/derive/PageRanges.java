package org.allocsim.workloads.format.pytorch.derive;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.MemoryLayout;
import org.jspecify.annotations.Nullable;

/**
 * Which mapped pages belong to one expandable segment, whose pages all share a pool. A segment is
 * mapped from its base upwards, so pages belong to the segment that they touch or fill a gap of; a
 * segment ends when its last page is unmapped.
 *
 * <p>A segment is named by the row that mapped its first pages, or as a segment of the start.
 */
final class PageRanges {
  private static final class Range {
    final int name;
    long end;
    long mappedBytes;

    Range(int name, long end) {
      this.name = name;
      this.end = end;
    }
  }

  private final Map<Integer, Integer> nameOfRow = new HashMap<>();
  private final TreeMap<Long, Range> open = new TreeMap<>(Long::compareUnsigned);

  PageRanges(HistoryRows rows, MemoryLayout start) {
    EffectLog effects = rows.effects();
    for (int i = 0; i < start.segmentCount(); i++) {
      if (start.isExpandable(i)) {
        long address = start.segmentAddress(i);
        Range range =
            open.computeIfAbsent(
                start.reservationAddress(i),
                base -> new Range(SegmentPools.startSegment(firstRunAt(start, base)), address));
        range.end = address + start.segmentBytes(i);
        range.mappedBytes += start.segmentBytes(i);
      }
    }
    for (int i = 0; i < rows.count(); i++) {
      int row = rows.row(i);
      long address = effects.address(row);
      long bytes = effects.bytes(row);
      switch (effects.kind(row)) {
        case SEGMENT_MAP -> map(row, address, bytes);
        case SEGMENT_UNMAP -> unmap(address, bytes);
        default -> {}
      }
    }
  }

  private static int firstRunAt(MemoryLayout start, long reservationAddress) {
    int run = 0;
    while (!start.isExpandable(run) || start.reservationAddress(run) != reservationAddress) {
      run++;
    }
    return run;
  }

  private void map(int row, long address, long bytes) {
    Range range = around(address);
    if (range == null) {
      range = new Range(row, address);
      open.put(address, range);
    }
    if (Long.compareUnsigned(address + bytes, range.end) > 0) {
      range.end = address + bytes;
    }
    range.mappedBytes += bytes;
    nameOfRow.put(row, range.name);
  }

  private void unmap(long address, long bytes) {
    Map.Entry<Long, Range> entry = open.floorEntry(address);
    if (entry != null) {
      entry.getValue().mappedBytes -= bytes;
      if (entry.getValue().mappedBytes <= 0) {
        open.remove(entry.getKey());
      }
    }
  }

  /** The open segment that an address lies in or right after. */
  private @Nullable Range around(long address) {
    Map.Entry<Long, Range> entry = open.floorEntry(address);
    return entry != null && Long.compareUnsigned(address, entry.getValue().end) <= 0
        ? entry.getValue()
        : null;
  }

  /** Name of the segment that a row maps pages into. */
  int segmentOf(int row) {
    return Objects.requireNonNull(nameOfRow.get(row));
  }

  /** Name of the segment that has an address at the end of the history, or none. */
  int segmentAtEnd(long address) {
    Range range = around(address);
    return range == null ? SegmentPools.NONE : range.name;
  }
}
