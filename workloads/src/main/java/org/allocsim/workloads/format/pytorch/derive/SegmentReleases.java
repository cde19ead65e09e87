package org.allocsim.workloads.format.pytorch.derive;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;

/** Where the memory that each row obtained was released again, and in which run of rows. */
final class SegmentReleases {
  private final int rowCount;
  private final Map<Integer, Integer> releaseOf = new HashMap<>();
  private final Map<Integer, Integer> runStartOf = new HashMap<>();
  private final Map<Integer, List<Integer>> segmentsOfRun = new HashMap<>();

  SegmentReleases(HistoryRows rows, PageRanges pages) {
    EffectLog effects = rows.effects();
    rowCount = effects.count();
    TreeMap<Long, Integer> held = new TreeMap<>(Long::compareUnsigned);
    int runStart = -1;
    for (int i = 0; i < rows.count(); i++) {
      int row = rows.row(i);
      EffectKind kind = effects.kind(row);
      if (i > 0 && rows.row(i - 1) != row - 1) {
        runStart = -1;
      }
      if (kind == EffectKind.SEGMENT_ALLOC) {
        held.put(effects.address(row), row);
      } else if (kind == EffectKind.SEGMENT_MAP) {
        held.put(effects.address(row), pages.segmentOf(row));
      }
      if (kind != EffectKind.SEGMENT_FREE && kind != EffectKind.SEGMENT_UNMAP) {
        runStart = -1;
        continue;
      }
      runStart = runStart < 0 ? row : runStart;
      Map.Entry<Long, Integer> segment = held.floorEntry(effects.address(row));
      if (segment != null) {
        releaseOf.put(segment.getValue(), row);
        runStartOf.put(segment.getValue(), runStart);
        segmentsOfRun.computeIfAbsent(runStart, key -> new ArrayList<>()).add(segment.getValue());
      }
    }
  }

  /** Row in which a segment is released; after all rows where it is not. */
  int row(int segment) {
    return releaseOf.getOrDefault(segment, rowCount + Math.abs(segment));
  }

  /** First row of the run in which a segment is released. */
  int runStart(int segment) {
    return runStartOf.getOrDefault(segment, row(segment));
  }

  /** Segments that are released in the run that starts at a row. */
  List<Integer> segmentsOfRun(int runStart) {
    return segmentsOfRun.getOrDefault(runStart, List.of());
  }
}
