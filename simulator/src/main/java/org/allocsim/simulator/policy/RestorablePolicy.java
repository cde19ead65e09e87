package org.allocsim.simulator.policy;

/** A policy that can begin in a state that a recording shows, instead of empty. */
public interface RestorablePolicy extends AllocatorPolicy {
  /**
   * Takes over segments, blocks and allocations. Called before any request, and reports no effects.
   *
   * @param layout what is held; its allocations have the ids of the trace that follows
   */
  void restore(MemoryLayout layout);
}
