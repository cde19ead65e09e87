package org.allocsim.workloads.format.pytorch.derive.start;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.order.AddressMap;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.workloads.format.pytorch.DeviceHistory;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;
import org.jspecify.annotations.Nullable;

/** Finds what a device held when its history begins, and recreates it as a trace's prologue. */
public final class DeviceStartFinder {
  private DeviceStartFinder() {}

  /**
   * What a device held.
   *
   * @param layout segments and blocks; allocation ids are those of the prologue
   * @param pools pools of the layout's segments by index; null where the snapshot does not say
   * @param complete whether the history began before the first allocation
   * @param liveAllocations ids of blocks handed out, by address
   * @param pendingAllocations ids of blocks whose free was requested before the history, by address
   * @param contradictions how many rows, and blocks at the end, the state around them contradicts
   * @param firstContradiction the first such row; the length of the history where only its end
   *     contradicts
   * @param torn the first block that memory of another segment reaches into
   */
  public record Start(
      MemoryLayout layout,
      List<PoolId> pools,
      boolean complete,
      Map<Long, Integer> liveAllocations,
      Map<Long, Integer> pendingAllocations,
      int contradictions,
      int firstContradiction,
      @Nullable Torn torn) {}

  /** What a device held when its history begins before the first allocation. */
  public static Start nothing() {
    return new Start(
        new MemoryLayout.Builder().build(), List.of(), true, Map.of(), Map.of(), 0, 0, null);
  }

  /**
   * What a device held when its history begins later.
   *
   * @param finalSegments what the snapshot shows of it at the history's end
   * @param prologue takes the rows that recreate it
   */
  public static Start find(
      DeviceHistory history,
      List<SnapshotSegment> finalSegments,
      AllocatorConfig config,
      PrologueWriter prologue) {
    StartReconstruction reconstruction =
        new StartReconstruction(history.effects(), finalSegments, config);
    return recreate(history.effects(), reconstruction, prologue);
  }

  /**
   * Whether a history accounts for all memory that it gives back and that is held at its end. One
   * that began later does not, unless nothing was held then.
   */
  public static boolean accountsForMemory(EffectLog effects, List<SnapshotSegment> finalSegments) {
    Set<Long> segments = new HashSet<>();
    long reservedBytes = 0;
    for (int i = 0; i < effects.otherCount(); i++) {
      int row = effects.otherRow(i);
      switch (effects.kind(row)) {
        case SEGMENT_ALLOC -> {
          segments.add(effects.address(row));
          reservedBytes += effects.bytes(row);
        }
        case SEGMENT_FREE -> {
          if (!segments.remove(effects.address(row))) {
            return false;
          }
          reservedBytes -= effects.bytes(row);
        }
        case SEGMENT_MAP -> reservedBytes += effects.bytes(row);
        case SEGMENT_UNMAP -> reservedBytes -= effects.bytes(row);
        case ALLOC, FREE_REQUESTED, FREE_COMPLETED, OOM, SNAPSHOT -> {}
      }
    }
    long finalBytes = finalSegments.stream().mapToLong(SnapshotSegment::totalBytes).sum();
    return reservedBytes == finalBytes;
  }

  /** Whether a history accounts for all blocks that it frees. */
  public static boolean accountsForBlocks(EffectLog effects) {
    AddressMap active = new AddressMap();
    for (int row = 0; row < effects.count(); row++) {
      long address = effects.address(row);
      switch (effects.kind(row)) {
        case ALLOC -> active.put(address, 0);
        case FREE_COMPLETED -> {
          if (active.remove(address) == AddressMap.NONE) {
            return false;
          }
        }
        case FREE_REQUESTED -> {
          if (active.get(address) == AddressMap.NONE) {
            return false;
          }
        }
        case SEGMENT_ALLOC, SEGMENT_FREE, SEGMENT_MAP, SEGMENT_UNMAP, OOM, SNAPSHOT -> {}
      }
    }
    return true;
  }

  private static Start recreate(
      EffectLog effects, StartReconstruction reconstruction, PrologueWriter prologue) {
    List<StartReconstruction.Block> blocks = reconstruction.blocks();
    StartRanges ranges = new StartRanges(effects, blocks, reconstruction.pageKinds());
    Map<Long, Integer> frees = firstFreeCompletedRows(effects);
    MemoryLayout.Builder layout = new MemoryLayout.Builder();
    List<PoolId> pools = new ArrayList<>();
    Map<Long, Integer> live = new HashMap<>();
    Map<Long, Integer> pending = new HashMap<>();
    for (int i = 0; i < blocks.size(); ) {
      int end = endOfSegment(blocks, i);
      StartReconstruction.Run run = blocks.get(i).run;
      PoolId pool = run.pool() == null ? PoolId.DEFAULT : run.pool();
      long address = blocks.get(i).address;
      layout.segment(
          address,
          blocks.get(end - 1).end() - address,
          run.stream(),
          run.small(),
          prologue.poolNumber(pool),
          run.expandable(),
          run.expandable() ? ranges.startOf(address) : address);
      pools.add(run.pool());
      for (; i < end; i++) {
        StartReconstruction.Block block = blocks.get(i);
        int allocation = AllocationTrace.NO_ALLOCATION;
        if (block.state != BlockState.INACTIVE) {
          allocation = prologue.allocate(block.requestedBytes, run.stream(), pool, block.stack);
          if (block.state == BlockState.ACTIVE_ALLOCATED) {
            live.put(block.address, allocation);
          } else {
            pending.put(block.address, allocation);
            int row = frees.getOrDefault(block.address, effects.count());
            if (!isInterruptedFree(effects, row)) {
              prologue.freeAwaiting(allocation, row);
            }
          }
        }
        layout.block(block.address, block.bytes, block.requestedBytes, block.state, allocation);
      }
    }
    return new Start(
        layout.build(),
        pools,
        false,
        live,
        pending,
        reconstruction.contradictions(),
        reconstruction.firstContradiction(),
        reconstruction.torn());
  }

  /**
   * Whether the history begins between the two rows of one free: its first row completes a free,
   * and what follows is no request that could have seen an event.
   */
  public static boolean isInterruptedFree(EffectLog effects, int row) {
    if (row != 0) {
      return false;
    }
    return effects.count() == 1
        || effects.kind(1) == EffectKind.FREE_REQUESTED
        || effects.kind(1) == EffectKind.ALLOC
        || effects.kind(1) == EffectKind.SEGMENT_ALLOC
        || effects.kind(1) == EffectKind.SEGMENT_MAP;
  }

  private static int endOfSegment(List<StartReconstruction.Block> blocks, int start) {
    int end = start + 1;
    while (end < blocks.size()
        && blocks.get(end).address == blocks.get(end - 1).end()
        && blocks.get(end).run.equals(blocks.get(start).run)) {
      end++;
    }
    return end;
  }

  /** Row of the first free that completes at each address. */
  private static Map<Long, Integer> firstFreeCompletedRows(EffectLog effects) {
    Map<Long, Integer> rows = new HashMap<>();
    for (int row = 0; row < effects.count(); row++) {
      if (effects.kind(row) == EffectKind.FREE_COMPLETED) {
        rows.putIfAbsent(effects.address(row), row);
      }
    }
    return rows;
  }
}
