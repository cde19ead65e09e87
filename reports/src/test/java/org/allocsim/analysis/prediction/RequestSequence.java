package org.allocsim.analysis.prediction;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import tools.jackson.databind.JsonNode;

/**
 * Allocations, restored blocks among them, and frees of a run in order, as text: {@code +bytes} an
 * allocation, {@code -numbers} the frees between two allocations. Frees that follow each other have
 * no order here, as that of some follows the addresses of objects on the host.
 */
final class RequestSequence {
  private final List<String> entries = new ArrayList<>();
  private final List<Integer> frees = new ArrayList<>();
  private int requests;

  static RequestSequence of(AllocationTrace trace) {
    RequestSequence sequence = new RequestSequence();
    for (int row = trace.prologueCount(); row < trace.eventCount(); row++) {
      switch (trace.kind(row)) {
        case ALLOCATE, RESTORE_BLOCK -> sequence.allocate(trace.bytes(row));
        case FREE -> sequence.free(trace.allocation(row));
        default -> {}
      }
    }
    sequence.endFrees();
    return sequence;
  }

  /** From a list of sizes of allocations and, as −1 − number, of frees. */
  static RequestSequence of(JsonNode requests) {
    RequestSequence sequence = new RequestSequence();
    for (JsonNode request : requests) {
      long value = request.asLong();
      if (value >= 0) {
        sequence.allocate(value);
      } else {
        sequence.free((int) (-1 - value));
      }
    }
    sequence.endFrees();
    return sequence;
  }

  private void allocate(long bytes) {
    endFrees();
    entries.add("+" + bytes);
    requests++;
  }

  private void free(int allocation) {
    frees.add(allocation);
    requests++;
  }

  private void endFrees() {
    if (!frees.isEmpty()) {
      frees.sort(null);
      entries.add("-" + frees);
      frees.clear();
    }
  }

  /** Allocations and frees. */
  int requests() {
    return requests;
  }

  /** Share of the entries that another sequence has too, from the start to the first other one. */
  double equalFromStart(RequestSequence other) {
    int equal = 0;
    int limit = Math.min(entries.size(), other.entries.size());
    while (equal < limit && entries.get(equal).equals(other.entries.get(equal))) {
      equal++;
    }
    return (double) equal / Math.max(entries.size(), other.entries.size());
  }
}
