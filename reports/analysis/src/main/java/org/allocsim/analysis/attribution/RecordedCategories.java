package org.allocsim.analysis.attribution;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.order.AddressMap;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.Recording;

/** Categories that were recorded with a program: they come before stacks and rules. */
@FunctionalInterface
public interface RecordedCategories {
  /** Nothing was recorded. */
  RecordedCategories NONE = _ -> Optional.empty();

  /**
   * The category that the recorder gave an allocation; empty where it gave none.
   *
   * @param allocation number in the trace
   */
  Optional<Category> of(int allocation);

  /**
   * What {@code allocsim record} named: of the storages that were held when the file was written,
   * those whose use it knew. None where history and requests do not match.
   */
  static RecordedCategories of(DeviceTrace input) {
    Optional<Recording> recording = input.recording();
    List<RecordedFacts.Storage> storages =
        recording
            .flatMap(each -> each.snapshot().facts())
            .flatMap(each -> each.device(input.device()))
            .map(RecordedFacts.Device::storages)
            .orElse(List.of());
    if (storages.isEmpty()) {
      return NONE;
    }
    AddressMap held = heldAtEnd(input, recording.orElseThrow());
    Map<Integer, Category> named = new HashMap<>();
    for (RecordedFacts.Storage storage : storages) {
      long row = held.get(storage.address());
      if (row != AddressMap.NONE && input.trace().bytes((int) row) == storage.bytes()) {
        Category.ofId(storage.category())
            .ifPresent(each -> named.put(input.trace().allocation((int) row), each));
      }
    }
    return allocation -> Optional.ofNullable(named.get(allocation));
  }

  /** The rows that allocated what is held at the end, by address; of all or of none. */
  private static AddressMap heldAtEnd(DeviceTrace input, Recording recording) {
    AllocationTrace trace = input.trace();
    AddressMap held = new AddressMap();
    Map<Integer, Integer> rows = new HashMap<>();
    int row = 0;
    for (; row < trace.prologueCount(); row++) {
      if (isRequest(input, row)) {
        rows.put(trace.allocation(row), row);
      }
    }
    MemoryLayout start = recording.start(input.device());
    for (int block = 0; block < start.blockCount(); block++) {
      Integer taken = rows.get(start.allocation(block));
      if (start.state(block) == BlockState.ACTIVE_ALLOCATED && taken != null) {
        held.put(start.blockAddress(block), taken);
      }
    }
    EffectLog effects = recording.effects(input.device());
    for (int effect = 0; effect < effects.count(); effect++) {
      EffectKind kind = effects.kind(effect);
      if (kind == EffectKind.FREE_REQUESTED) {
        held.remove(effects.address(effect));
      } else if (kind == EffectKind.ALLOC || kind == EffectKind.OOM) {
        while (row < trace.eventCount() && !isRequest(input, row)) {
          row++;
        }
        // Each request leaves one entry, in the order of the requests.
        if (row == trace.eventCount() || trace.bytes(row) != effects.bytes(effect)) {
          return new AddressMap();
        }
        if (kind == EffectKind.ALLOC) {
          held.put(effects.address(effect), row);
        }
        row++;
      }
    }
    return held;
  }

  private static boolean isRequest(DeviceTrace input, int row) {
    RequestKind kind = input.trace().kind(row);
    return input.trace().device(row) == input.device()
        && (kind == RequestKind.ALLOCATE || kind == RequestKind.RESTORE_BLOCK);
  }
}
