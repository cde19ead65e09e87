package org.allocsim.workloads.format.pytorch.derive;

import java.util.HashMap;
import java.util.Map;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.jspecify.annotations.Nullable;

/**
 * Where the frees that wait for other streams complete. Most frees complete in the next row, so all
 * rows are looked at only once somebody asks.
 */
final class CompletionRows {
  private final EffectLog effects;

  /** By row of the request; null until somebody asks. */
  private @Nullable Map<Integer, Integer> completionOfRequest;

  CompletionRows(EffectLog effects) {
    this.effects = effects;
  }

  private static Map<Integer, Integer> completions(EffectLog effects) {
    Map<Integer, Integer> completionOfRequest = new HashMap<>();
    Map<Long, Integer> waiting = new HashMap<>();
    for (int row = 0; row < effects.count(); row++) {
      long address = effects.address(row);
      if (effects.kind(row) == EffectKind.FREE_REQUESTED) {
        boolean completesNext =
            row + 1 < effects.count()
                && effects.kind(row + 1) == EffectKind.FREE_COMPLETED
                && effects.address(row + 1) == address;
        if (!completesNext) {
          waiting.put(address, row);
        }
      } else if (effects.kind(row) == EffectKind.FREE_COMPLETED && !waiting.isEmpty()) {
        Integer request = waiting.remove(address);
        if (request != null) {
          completionOfRequest.put(request, row);
        }
      }
    }
    return completionOfRequest;
  }

  /**
   * Row in which the free requested in {@code row} completes; the number of rows if it does not.
   */
  int of(int row) {
    if (completionOfRequest == null) {
      completionOfRequest = completions(effects);
    }
    return completionOfRequest.getOrDefault(row, effects.count());
  }

  /** First row in which a free at an address completes; the number of rows if none does. */
  int firstAt(long address) {
    int row = 0;
    while (row < effects.count()
        && (effects.kind(row) != EffectKind.FREE_COMPLETED || effects.address(row) != address)) {
      row++;
    }
    return row;
  }
}
