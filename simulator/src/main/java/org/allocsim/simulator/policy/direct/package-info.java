/** Every request is a call of the driver, as {@code cudaMalloc} and {@code cudaFree} are. */
@NullMarked
package org.allocsim.simulator.policy.direct;

import org.jspecify.annotations.NullMarked;
