package org.allocsim.simulator.policy.pytorch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.allocsim.simulator.policy.pytorch.NaiveHeap.Block;
import org.allocsim.simulator.policy.pytorch.NaiveHeap.PrivatePool;
import org.allocsim.simulator.trace.AllocationTrace;

/** Uses of the naive allocator's blocks on other streams (rules of section 3). */
final class NaiveStreamUses {
  private static final class Event {
    int stream;
    long rank;
    boolean complete;
    Block block;
  }

  /** Outstanding events in the order in which they were recorded. */
  private final List<Event> events = new ArrayList<>();

  private final Consumer<Block> freeBlock;

  NaiveStreamUses(Consumer<Block> freeBlock) {
    this.freeBlock = freeBlock;
  }

  void add(Block block, int stream, long rank) {
    NaiveHeap.Use use = null;
    for (NaiveHeap.Use known : block.uses) {
      if (known.stream == stream) {
        use = known;
      }
    }
    if (use == null) {
      use = new NaiveHeap.Use();
      use.stream = stream;
      block.uses.add(use);
    }
    use.rank = rank;
    use.complete = false;
  }

  /** Rule 3.2, insert_events. */
  void insertEvents(Block block) {
    for (NaiveHeap.Use use : block.uses) {
      Event event = new Event();
      event.stream = use.stream;
      event.rank = use.rank;
      event.complete = use.complete;
      event.block = block;
      events.add(event);
      block.eventCount++;
    }
    block.uses.clear();
  }

  void complete(Block block, int stream) {
    boolean any = stream == AllocationTrace.ANY_STREAM;
    for (NaiveHeap.Use use : block.uses) {
      use.complete |= any || use.stream == stream;
    }
    for (Event event : events) {
      event.complete |= event.block == block && (any || event.stream == stream);
    }
  }

  /**
   * Rule 3.4: of all complete events that nothing on their stream holds up, the first by rank is
   * next; those ahead of it on its stream are seen before.
   */
  void processEvents() {
    while (true) {
      Event first = null;
      for (Event event : events) {
        boolean ready = event.complete && ahead(event).stream().allMatch(other -> other.complete);
        if (ready && (first == null || event.rank < first.rank)) {
          first = event;
        }
      }
      if (first == null) {
        return;
      }
      List<Event> ahead = ahead(first);
      finish(ahead.isEmpty() ? first : ahead.getFirst());
    }
  }

  /** Rule 3.5; null stands for all pools. */
  void synchronizeAndFree(PrivatePool only) {
    List<Event> waitedFor = new ArrayList<>(events);
    waitedFor.removeIf(event -> only != null && event.block.segment.pool.owner != only);
    waitedFor.sort(Comparator.comparingLong(event -> event.rank));
    waitedFor.forEach(this::finish);
  }

  private List<Event> ahead(Event event) {
    List<Event> ahead = new ArrayList<>();
    for (Event other : events.subList(0, events.indexOf(event))) {
      if (event.stream >= 0 && other.stream == event.stream) {
        ahead.add(other);
      }
    }
    return ahead;
  }

  private void finish(Event event) {
    events.remove(event);
    event.block.eventCount--;
    if (event.block.eventCount == 0) {
      freeBlock.accept(event.block);
    }
  }
}
