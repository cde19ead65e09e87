/** PyTorch's allocator of pinned host memory, with the defects of its statistics. */
package org.allocsim.simulator.policy.pinned;
