/** The allocators of MLX on Apple's GPUs and on CUDA, and the cache of buffers that both have. */
@NullMarked
package org.allocsim.simulator.policy.mlx;

import org.jspecify.annotations.NullMarked;
