/**
 * The CUDA driver's own pool as an allocator. The rules of the pool are those of the device; here
 * is how a program uses it.
 */
@NullMarked
package org.allocsim.simulator.policy.cudaasync;

import org.jspecify.annotations.NullMarked;
