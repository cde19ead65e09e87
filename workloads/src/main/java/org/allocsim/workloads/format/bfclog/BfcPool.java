package org.allocsim.workloads.format.bfclog;

import java.util.List;

/**
 * One allocator of a log.
 *
 * @param name its name, such as {@code GPU_0_bfc}
 * @param device index in the trace
 * @param effects what it did, in order
 */
public record BfcPool(String name, int device, List<BfcEffect> effects) {
  /** Keeps its own copy of the effects. */
  public BfcPool {
    effects = List.copyOf(effects);
  }
}
