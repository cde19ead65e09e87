/** CUB's caching device allocator, which keeps blocks of exact bins. */
@NullMarked
package org.allocsim.simulator.policy.cub;

import org.jspecify.annotations.NullMarked;
