package org.allocsim.analysis.idle.join;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.column.LongColumn;
import org.allocsim.simulator.effect.EffectKind;

/**
 * What the allocator asked of the driver in a stretch of time: its segments, and the pages of
 * expandable ones, in the order of time, as columns. Times are from the first row of a profile.
 */
public final class SegmentCalls {
  private final LongColumn nanos = new LongColumn();
  private final LongColumn bytes = new LongColumn();
  private final List<EffectKind> kinds = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();

  SegmentCalls() {}

  void add(long atNanos, EffectKind kind, long itsBytes, String line) {
    nanos.add(atNanos);
    kinds.add(kind);
    bytes.add(itsBytes);
    lines.add(line);
  }

  /** Number of calls. */
  public int count() {
    return nanos.count();
  }

  /** When the allocator took the call down: after it gets memory, before it frees a segment. */
  public long nanos(int call) {
    return nanos.get(call);
  }

  /** What it does. */
  EffectKind kind(int call) {
    return kinds.get(call);
  }

  /** Whether memory is got, not given back. */
  public boolean isAllocation(int call) {
    return kind(call) == EffectKind.SEGMENT_ALLOC || kind(call) == EffectKind.SEGMENT_MAP;
  }

  /** Whether pages of an expandable segment are mapped or unmapped. */
  public boolean isMapping(int call) {
    return kind(call) == EffectKind.SEGMENT_MAP || kind(call) == EffectKind.SEGMENT_UNMAP;
  }

  /** Bytes that are got or given back. */
  public long bytes(int call) {
    return bytes.get(call);
  }

  /** The line of the program that led to it; empty where the snapshot has none. */
  String line(int call) {
    return lines.get(call);
  }
}
