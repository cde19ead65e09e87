package org.allocsim.workloads.format.pytorch.derive;

import org.allocsim.simulator.trace.PoolId;

/** A way to read a {@link Step}. */
sealed interface Reading {
  /**
   * All rows are the doing of the request that ends the run.
   *
   * @param completedBefore number of leading frees that the device had finished when the request
   *     came; the others complete because the allocator waits for the device
   * @param pool pool that the request is routed to
   */
  record OneRequest(int completedBefore, PoolId pool) implements Reading {}

  /**
   * The program emptied the cache, or gave up a private pool, before anything else.
   *
   * @param pools number of pools whose memory that released, in the order of the rows; what others
   *     released came after it
   */
  record CacheEmptied(int pools) implements Reading {}
}
