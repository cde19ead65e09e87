/**
 * Counts what allocators do: PyTorch's 122 values, timelines, fragmentation, the memory summary. It
 * listens to effects and never calls a policy. Only the counters of a pool are written by a policy,
 * for speed.
 */
@NullMarked
package org.allocsim.simulator.stats;

import org.jspecify.annotations.NullMarked;
