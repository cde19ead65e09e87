package org.allocsim.workloads.format.pytorch.derive;

import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.order.AddressMap;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.workloads.format.pytorch.DeviceHistory;

/**
 * Derives requests from the rows of a history alone, where the allocator beside it has gone another
 * way. Memory that is released without being obtained again before the next allocation counts as an
 * emptied cache.
 */
final class RowwiseDerivation {
  private final EffectLog effects;
  private final long[] streamHandles;
  private final IntFunction<PoolId> poolOf;
  private final IntConsumer at;
  private final AllocationTrace.Builder trace;
  private final AddressMap live;
  private final AddressMap pending;
  private final CompletionRows completions;

  RowwiseDerivation(
      DeviceHistory history,
      long[] streamHandles,
      IntFunction<PoolId> poolOf,
      IntConsumer at,
      AllocationTrace.Builder trace,
      AddressMap live,
      AddressMap pending) {
    this.effects = history.effects();
    this.streamHandles = streamHandles;
    this.poolOf = poolOf;
    this.at = at;
    this.trace = trace;
    this.live = live;
    this.pending = pending;
    completions = new CompletionRows(effects);
  }

  void run(int from, DeviceDerivation.Counts counts) {
    for (int row = from; row < effects.count(); row++) {
      at.accept(row);
      long address = effects.address(row);
      switch (effects.kind(row)) {
        case ALLOC ->
            live.put(
                address,
                trace.allocate(
                    effects.bytes(row), streamHandles[effects.stream(row)], poolOf.apply(row)));
        case OOM ->
            trace.free(
                trace.allocate(
                    effects.bytes(row), streamHandles[effects.stream(row)], PoolId.DEFAULT));
        case FREE_REQUESTED -> free(row, counts);
        case FREE_COMPLETED -> complete(address);
        case SEGMENT_FREE, SEGMENT_UNMAP -> {
          if (endsRelease(row)) {
            counts.likelyEmptyCaches++;
            trace.emptyCache();
          }
        }
        case SNAPSHOT -> trace.snapshot();
        case SEGMENT_ALLOC, SEGMENT_MAP -> {}
      }
    }
  }

  private void free(int row, DeviceDerivation.Counts counts) {
    int allocation = (int) live.remove(effects.address(row));
    if (allocation == AddressMap.NONE) {
      counts.unknownFree(row);
      return;
    }
    boolean completesNext =
        row + 1 < effects.count()
            && effects.kind(row + 1) == EffectKind.FREE_COMPLETED
            && effects.address(row + 1) == effects.address(row);
    if (!completesNext) {
      counts.streamUses++;
      trace.useUnknownStream(allocation, completions.of(row));
      pending.put(effects.address(row), allocation);
    }
    trace.free(allocation);
  }

  private void complete(long address) {
    int allocation = (int) pending.remove(address);
    if (allocation == AddressMap.NONE) {
      return;
    }
    if (trace.isLive(allocation)) {
      trace.free(allocation);
    } else {
      trace.useComplete(allocation);
    }
  }

  /** Whether a release is the last of its run and no memory is obtained right after it. */
  private boolean endsRelease(int row) {
    EffectKind next = row + 1 < effects.count() ? effects.kind(row + 1) : EffectKind.SNAPSHOT;
    return switch (next) {
      case SEGMENT_FREE, SEGMENT_UNMAP, SEGMENT_ALLOC, SEGMENT_MAP, OOM, FREE_COMPLETED -> false;
      case ALLOC, FREE_REQUESTED, SNAPSHOT -> true;
    };
  }
}
