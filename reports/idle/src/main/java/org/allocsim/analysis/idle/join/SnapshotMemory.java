package org.allocsim.analysis.idle.join;

import java.util.Objects;
import org.allocsim.analysis.idle.profile.MemorySamples;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.allocsim.analysis.idle.timeline.Places;
import org.allocsim.analysis.moment.FrameKind;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.StackTable.Frame;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.DeviceHistory;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;
import org.allocsim.workloads.format.pytorch.derive.ReservedMemory;

/**
 * What a memory snapshot has about the time of a profile. Both have the time of day: of a snapshot
 * from PyTorch 2.1 on, to the microsecond.
 *
 * @param samples what the allocator held after each of its calls within the profile, the last one
 *     before it, and the most before and after it
 * @param calls what the allocator asked of the driver within the profile
 * @param beginNanos when the history begins, from the first row of the profile
 * @param endNanos when it ends
 */
record SnapshotMemory(MemorySamples samples, SegmentCalls calls, long beginNanos, long endNanos) {
  private static final String REMEDY =
      "give the snapshot of the run that was profiled: record both with 'allocsim record --time',"
          + " or call torch.cuda.memory._record_memory_history() before the profiled steps and"
          + " torch.cuda.memory._dump_snapshot() after them";

  /**
   * The part of a snapshot that belongs to a profile.
   *
   * @param device index of the GPU
   * @param profileNanos length of the profile
   * @throws TraceFormatException where the snapshot has no history of the GPU, no times, or other
   *     times than the profile
   */
  static SnapshotMemory of(Snapshot snapshot, int device, TimeProfile profile, long profileNanos)
      throws TraceFormatException {
    snapshot.requireHistory();
    String file = snapshot.fileName();
    DeviceHistory history =
        device < snapshot.devices().size() ? snapshot.devices().get(device) : null;
    if (history == null || history.effects().count() == 0) {
      throw new TraceFormatException(
          file, "", "it has no history of GPU " + device + ", which the profile is of", REMEDY);
    }
    if (!history.hasTimes()) {
      throw new TraceFormatException(
          file,
          "",
          "its entries have no times, which PyTorch 2.1 and later write",
          "record the snapshot with a newer PyTorch");
    }
    int count = history.effects().count();
    long begin = history.timeNanos(0) - profile.originNanos();
    long end = history.timeNanos(count - 1) - profile.originNanos();
    String profileFile = profile.source().file();
    if (end < 0) {
      throw new TraceFormatException(
          file,
          "",
          "its history ends %s before %s begins".formatted(Numbers.duration(-end), profileFile),
          REMEDY);
    }
    if (begin > profileNanos) {
      throw new TraceFormatException(
          file,
          "",
          "its history begins %s after the end of %s"
              .formatted(Numbers.duration(begin - profileNanos), profileFile),
          REMEDY);
    }
    Walk walk = new Walk(snapshot, device, history, profile.originNanos(), profileNanos);
    walk.go();
    return new SnapshotMemory(walk.samples, walk.calls, begin, end);
  }

  /** Follows a history, and counts what is held. */
  private static final class Walk {
    private final Snapshot snapshot;
    private final int device;
    private final DeviceHistory history;
    private final EffectLog effects;
    private final long originNanos;
    private final long profileNanos;
    private final MemorySamples samples = new MemorySamples();
    private final SegmentCalls calls = new SegmentCalls();
    private long allocated;
    private long reserved;
    private final Outside before = new Outside();
    private final Outside after = new Outside();

    Walk(
        Snapshot snapshot, int device, DeviceHistory history, long originNanos, long profileNanos) {
      this.snapshot = snapshot;
      this.device = device;
      this.history = history;
      effects = history.effects();
      this.originNanos = originNanos;
      this.profileNanos = profileNanos;
      reserved = ReservedMemory.of(snapshot, device).startBytes();
      allocated = allocatedAtStart();
    }

    /** The most memory outside of the profile: what was held then, whatever it was made of. */
    private final class Outside {
      private long allocatedNanos = Long.MIN_VALUE;
      private long maxAllocated = -1;
      private long reservedThen;
      private long reservedNanos;
      private long maxReserved = -1;
      private long allocatedThen;

      void take(long nanos) {
        if (allocated > maxAllocated) {
          maxAllocated = allocated;
          allocatedNanos = nanos;
          reservedThen = reserved;
        }
        if (reserved > maxReserved) {
          maxReserved = reserved;
          reservedNanos = nanos;
          allocatedThen = allocated;
        }
      }

      void keep() {
        if (maxAllocated >= 0) {
          samples.add(allocatedNanos, device, maxAllocated, reservedThen);
          samples.add(reservedNanos, device, allocatedThen, maxReserved);
        }
      }
    }

    /** What the program held before the history: what it held at the end, without the history. */
    private long allocatedAtStart() {
      long bytes = 0;
      for (SnapshotSegment segment : snapshot.segments()) {
        for (int block = 0; segment.device() == device && block < segment.blockCount(); block++) {
          if (segment.blockState(block) == BlockState.ACTIVE_ALLOCATED) {
            bytes += segment.blockRequestedBytes(block);
          }
        }
      }
      for (int row = 0; row < effects.count(); row++) {
        bytes -= allocatedBy(row);
      }
      return Math.max(0, bytes);
    }

    private long allocatedBy(int row) {
      return switch (effects.kind(row)) {
        case ALLOC -> effects.bytes(row);
        case FREE_REQUESTED -> -effects.bytes(row);
        default -> 0;
      };
    }

    void go() {
      long lastNanos = history.timeNanos(0) - originNanos;
      boolean hasBegun = false;
      for (int row = 0; row < effects.count(); row++) {
        long nanos = history.timeNanos(row) - originNanos;
        if (nanos >= 0 && !hasBegun) {
          before.keep();
          samples.add(Math.min(lastNanos, nanos), device, allocated, reserved);
          hasBegun = true;
        }
        allocated += allocatedBy(row);
        reserved += ReservedMemory.reservedBy(effects, row);
        lastNanos = nanos;
        if (nanos < 0) {
          before.take(nanos);
        } else if (nanos > profileNanos) {
          after.take(nanos);
        } else {
          within(row, nanos);
        }
      }
      after.keep();
    }

    private void within(int row, long nanos) {
      EffectKind kind = effects.kind(row);
      switch (kind) {
        case ALLOC, FREE_REQUESTED -> samples.add(nanos, device, allocated, reserved);
        case SEGMENT_ALLOC, SEGMENT_FREE, SEGMENT_MAP, SEGMENT_UNMAP -> {
          samples.add(nanos, device, allocated, reserved);
          calls.add(nanos, kind, effects.bytes(row), line(history.stack(row)));
        }
        default -> {}
      }
    }

    /** The innermost line of the program; empty where there is none, as in the backward pass. */
    private String line(int stack) {
      StackTable stacks = snapshot.stacks();
      for (int depth = 0; depth < stacks.depth(stack); depth++) {
        Frame frame = stacks.frame(stack, depth);
        if (FrameKind.of(frame) == FrameKind.PROGRAM) {
          return "%s:%d (%s)"
              .formatted(
                  Places.shortened(Objects.requireNonNull(frame.file())),
                  frame.line(),
                  frame.function());
        }
      }
      return "";
    }
  }
}
