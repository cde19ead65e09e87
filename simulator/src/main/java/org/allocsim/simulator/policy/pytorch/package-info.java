/**
 * PyTorch's caching allocator, its settings and what differs by release. {@link
 * org.allocsim.simulator.policy.pytorch.CachingAllocator} serves requests; the document {@code
 * simulator/docs/pytorch-caching-allocator.md} numbers its rules. Unlike other policies it counts
 * in the counters of its pools, for speed.
 */
@NullMarked
package org.allocsim.simulator.policy.pytorch;

import org.jspecify.annotations.NullMarked;
