/**
 * Finds the requests that the recorded effects of a PyTorch snapshot show: when caches were
 * emptied, uses ended, pools were used. It runs the simulated allocator to decide between readings,
 * and reports all that it infers.
 */
@NullMarked
package org.allocsim.workloads.format.pytorch.derive;

import org.jspecify.annotations.NullMarked;
