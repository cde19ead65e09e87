/** PaddlePaddle's allocator with automatic growth. */
@NullMarked
package org.allocsim.simulator.policy.paddle;

import org.jspecify.annotations.NullMarked;
