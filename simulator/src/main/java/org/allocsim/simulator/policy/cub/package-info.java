/** CUB's caching device allocator, which keeps blocks of exact bins. */
package org.allocsim.simulator.policy.cub;
