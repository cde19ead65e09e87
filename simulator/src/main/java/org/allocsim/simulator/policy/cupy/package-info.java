/** CuPy's memory pool, and what decides between its chunks of one size. */
package org.allocsim.simulator.policy.cupy;
