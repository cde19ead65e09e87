/** CuPy's memory pool, and what decides between its chunks of one size. */
@NullMarked
package org.allocsim.simulator.policy.cupy;

import org.jspecify.annotations.NullMarked;
