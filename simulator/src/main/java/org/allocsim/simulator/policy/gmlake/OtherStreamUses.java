package org.allocsim.simulator.policy.gmlake;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * Uses of allocations on streams other than their own. Until the free they only mark the
 * allocation; at the free each becomes an outstanding event, and the memory is reusable when all
 * events have been seen. Events that finished are seen by ascending completion rank, then in the
 * order of the frees; an event after another of the same stream is not seen before it.
 */
final class OtherStreamUses {
  /** No allocation. */
  static final int NONE = -1;

  private static final class Use {
    final int allocation;
    final int stream;
    long rank;
    boolean complete;

    Use(int allocation, int stream) {
      this.allocation = allocation;
      this.stream = stream;
    }
  }

  private final Map<Integer, List<Use>> uses = new HashMap<>();
  private final List<Use> events = new ArrayList<>();

  /** Marks an allocation as used on a stream; {@code pending} says that it was freed already. */
  void add(int allocation, int stream, long rank, boolean pending) {
    List<Use> own = uses.computeIfAbsent(allocation, id -> new ArrayList<>());
    for (Use use : own) {
      if (use.stream == stream) {
        use.rank = rank;
        use.complete = false;
        return;
      }
    }
    Use use = new Use(allocation, stream);
    use.rank = rank;
    own.add(use);
    if (pending) {
      events.add(use);
    }
  }

  /**
   * Turns the marks of an allocation that is freed into outstanding events.
   *
   * @return whether there are any
   */
  boolean freed(int allocation) {
    if (uses.isEmpty() || !uses.containsKey(allocation)) {
      return false;
    }
    events.addAll(uses.get(allocation));
    return true;
  }

  /** The device has finished the use on a stream, or all uses. */
  void complete(int allocation, int stream) {
    for (Use use : uses.getOrDefault(allocation, List.of())) {
      use.complete |= stream == AllocationTrace.ANY_STREAM || use.stream == stream;
    }
  }

  /** The device has finished everything. */
  void completeAll() {
    uses.values().forEach(own -> own.forEach(use -> use.complete = true));
  }

  /** Forgets an allocation and its events. */
  void forget(int allocation) {
    if (uses.remove(allocation) != null) {
      events.removeIf(use -> use.allocation == allocation);
    }
  }

  /**
   * Sees events until one is the last of its allocation.
   *
   * @param wait whether to wait for events that have not finished
   * @return an allocation whose memory became reusable, or {@link #NONE}
   */
  int poll(boolean wait) {
    while (!events.isEmpty()) {
      int best = NONE;
      for (int i = 0; i < events.size(); i++) {
        Use use = events.get(i);
        if ((wait || (use.complete && !isBehindAnother(i)))
            && (best == NONE || use.rank < events.get(best).rank)) {
          best = i;
        }
      }
      if (best == NONE) {
        return NONE;
      }
      Use seen = events.remove(best);
      List<Use> own = Objects.requireNonNull(uses.get(seen.allocation));
      own.remove(seen);
      if (own.isEmpty()) {
        uses.remove(seen.allocation);
        return seen.allocation;
      }
    }
    return NONE;
  }

  private boolean isBehindAnother(int event) {
    int stream = events.get(event).stream;
    if (stream == AllocationTrace.UNKNOWN_STREAM) {
      return false;
    }
    for (int i = 0; i < event; i++) {
      if (events.get(i).stream == stream) {
        return true;
      }
    }
    return false;
  }
}
