/** Every request is a call of the driver, as {@code cudaMalloc} and {@code cudaFree} are. */
package org.allocsim.simulator.policy.direct;
