package org.allocsim.reports.answer.product;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.pytorch.DeviceHistory;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;
import org.allocsim.workloads.format.pytorch.metadata.Annotation;

/** Counts what is in a snapshot. */
public final class SnapshotContents {
  /** Powers of two that a requested size can lie between. */
  private static final int SIZE_CLASSES = 64;

  /**
   * What is recorded of one device.
   *
   * @param index index of the device
   * @param actions entries by action
   * @param history entries of the whole history
   * @param from number of the first entry that is counted
   * @param spanNanos time between the first and the last entry that is counted, −1 without times
   * @param streams handles of the streams that the history names, unsigned and ascending
   * @param withStack entries that have a stack
   * @param sizes allocations by the power of two at or below their requested size
   * @param segments final segments; {@code expandable} of them are runs of expandable segments
   * @param blocks final blocks by state
   * @param segmentBytes memory reserved at the end
   * @param activeBytes memory active at the end
   * @param pools names of the pools of final segments
   */
  public record Device(
      int index,
      long history,
      long from,
      Map<EffectKind, Long> actions,
      long spanNanos,
      List<String> streams,
      long withStack,
      long[] sizes,
      long segments,
      long expandable,
      Map<BlockState, Long> blocks,
      long segmentBytes,
      long activeBytes,
      List<String> pools) {
    /** Entries that are counted. */
    public long events() {
      return actions.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  private final Snapshot snapshot;
  private final List<Device> devices = new ArrayList<>();

  private final List<HistoryAccount> accounts;
  private final long from;
  private final long to;

  private SnapshotContents(Snapshot snapshot, long from, long to) {
    this.snapshot = snapshot;
    this.from = from;
    this.to = to;
    accounts = HistoryAccount.of(snapshot);
  }

  /**
   * What is in a snapshot.
   *
   * @param from first entry of each history that is counted, from 0
   * @param to first entry after it that is not
   */
  public static SnapshotContents of(Snapshot snapshot, long from, long to) {
    SnapshotContents contents = new SnapshotContents(snapshot, from, to);
    for (int device = 0; device < snapshot.devices().size(); device++) {
      contents.devices.add(contents.device(device));
    }
    return contents;
  }

  private Device device(int index) {
    DeviceHistory history = snapshot.devices().get(index);
    EffectLog effects = history.effects();
    long[] actions = new long[EffectKind.values().length];
    long[] sizes = new long[SIZE_CLASSES];
    boolean[] streams = new boolean[snapshot.streamHandles().length];
    long withStack = 0;
    int first = (int) Math.min(from, effects.count());
    int after = Math.clamp(to, first, effects.count());
    for (int row = first; row < after; row++) {
      EffectKind kind = effects.kind(row);
      actions[kind.ordinal()]++;
      if (kind == EffectKind.ALLOC) {
        sizes[sizeClass(effects.bytes(row))]++;
      }
      if (kind != EffectKind.SNAPSHOT) {
        streams[effects.stream(row)] = true;
      }
      if (history.stack(row) != StackTable.NONE) {
        withStack++;
      }
    }
    Map<EffectKind, Long> byAction = new EnumMap<>(EffectKind.class);
    for (EffectKind kind : EffectKind.values()) {
      if (actions[kind.ordinal()] > 0) {
        byAction.put(kind, actions[kind.ordinal()]);
      }
    }
    boolean timed = history.hasTimes() && after > first;
    long spanNanos = timed ? history.timeNanos(after - 1) - history.timeNanos(first) : -1;
    return withSegments(index, first, byAction, spanNanos, handles(streams), withStack, sizes);
  }

  private Device withSegments(
      int index,
      long first,
      Map<EffectKind, Long> actions,
      long spanNanos,
      List<String> streams,
      long withStack,
      long[] sizes) {
    long segments = 0;
    long expandable = 0;
    long segmentBytes = 0;
    long activeBytes = 0;
    Map<BlockState, Long> blocks = new EnumMap<>(BlockState.class);
    TreeSet<String> pools = new TreeSet<>();
    for (SnapshotSegment segment : snapshot.segments()) {
      if (segment.device() != index) {
        continue;
      }
      segments++;
      expandable += segment.expandable() ? 1 : 0;
      segmentBytes += segment.totalBytes();
      activeBytes += segment.activeBytes();
      if (!segment.pool().isDefault()) {
        pools.add(segment.pool().toString());
      }
      for (int block = 0; block < segment.blockCount(); block++) {
        blocks.merge(segment.blockState(block), 1L, Long::sum);
      }
    }
    return new Device(
        index,
        snapshot.devices().get(index).effects().count(),
        first,
        actions,
        spanNanos,
        streams,
        withStack,
        sizes,
        segments,
        expandable,
        blocks,
        segmentBytes,
        activeBytes,
        List.copyOf(pools));
  }

  private List<String> handles(boolean[] used) {
    long[] handles = snapshot.streamHandles();
    List<String> names = new ArrayList<>();
    for (int stream = 0; stream < used.length; stream++) {
      if (used[stream]) {
        names.add(Long.toUnsignedString(handles[stream]));
      }
    }
    return names;
  }

  /** Exponent of the power of two at or below a size; sizes below 1 count as 1. */
  private static int sizeClass(long bytes) {
    return 63 - Long.numberOfLeadingZeros(Math.max(bytes, 1));
  }

  /** The devices by index. */
  public List<Device> devices() {
    return devices;
  }

  /** What the histories hold of their programs; none where there are none. */
  public List<HistoryAccount> accounts() {
    return accounts;
  }

  /** Named spans by name: how often each begins. */
  public Map<String, Long> annotations() {
    Map<String, Long> names = new TreeMap<>();
    for (Annotation annotation : snapshot.annotations()) {
      if (annotation.stage() == Annotation.Stage.START) {
        names.merge(annotation.name(), 1L, Long::sum);
      }
    }
    return names;
  }
}
