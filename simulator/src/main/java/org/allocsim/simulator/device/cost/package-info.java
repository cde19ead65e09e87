/**
 * The calls of the CUDA driver and what they and the GPU's work cost: times and rates, and the
 * meter that adds them up. What a call does to memory does not belong here. It may use traces.
 */
@NullMarked
package org.allocsim.simulator.device.cost;

import org.jspecify.annotations.NullMarked;
