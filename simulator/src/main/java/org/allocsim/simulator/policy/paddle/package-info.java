/** PaddlePaddle's allocator with automatic growth. */
package org.allocsim.simulator.policy.paddle;
