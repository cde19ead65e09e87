/** PyTorch's allocator on Apple's GPUs: heaps of a few sizes, and buffers within them. */
@NullMarked
package org.allocsim.simulator.policy.mps;

import org.jspecify.annotations.NullMarked;
