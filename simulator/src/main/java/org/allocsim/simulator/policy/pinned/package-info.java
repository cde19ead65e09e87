/** PyTorch's allocator of pinned host memory, with the defects of its statistics. */
@NullMarked
package org.allocsim.simulator.policy.pinned;

import org.jspecify.annotations.NullMarked;
