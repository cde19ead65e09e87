package org.allocsim.simulator.policy.use;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntConsumer;

/**
 * Frees of used blocks in a capture of a graph, where the device cannot be asked about events: they
 * wait for its end. What was used in the capture is over then, as the graph orders it; other uses
 * become events.
 *
 * <p><b>Source.</b> PyTorch 2.4 to 2.14, {@code c10/cuda/CUDACachingAllocator.cpp}: {@code
 * insert_events_deferred_until_no_capture}, {@code remove_cudagraph_stream_uses}. PyTorch visits
 * the blocks in the order of a hash map; here that order is the completion ranks, then that of the
 * frees. It keeps what was used in a capture by the address of its own objects, also where the
 * block is given back outside of one, and may then drop uses of another block whose object lies
 * there; here it does not.
 */
public final class DeferredFrees {
  private final StreamUses uses;
  private final Set<Integer> owners = new LinkedHashSet<>();
  private final Map<Integer, Set<Integer>> captured = new LinkedHashMap<>();

  /** No frees; the uses are those of the same owners. */
  public DeferredFrees(StreamUses uses) {
    this.uses = uses;
  }

  /** An owner is used on a stream in a capture. */
  public void use(int owner, int stream) {
    captured.computeIfAbsent(owner, _ -> new TreeSet<>()).add(stream);
  }

  /** An owner is given back in a capture. */
  public void free(int owner) {
    owners.add(owner);
  }

  /** An owner is given back outside of captures, or goes. */
  public void forget(int owner) {
    if (!captured.isEmpty()) {
      captured.remove(owner);
    }
  }

  /** Whether no owner waits. */
  public boolean isEmpty() {
    return owners.isEmpty();
  }

  /**
   * No capture is under way.
   *
   * @param whenReusable is given each owner that waits for nothing else
   */
  public void end(IntConsumer whenReusable) {
    List<Integer> ranked = new ArrayList<>(owners);
    ranked.sort(Comparator.comparingLong(uses::rank));
    owners.clear();
    for (int owner : ranked) {
      for (int stream : captured.getOrDefault(owner, Set.of())) {
        uses.forget(owner, stream);
      }
      forget(owner);
      if (uses.has(owner)) {
        uses.free(owner);
      } else {
        whenReusable.accept(owner);
      }
    }
  }
}
