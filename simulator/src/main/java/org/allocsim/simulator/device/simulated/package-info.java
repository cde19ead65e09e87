/**
 * A GPU that is not there: what its driver answers, at which addresses, and what its calls cost.
 * {@link org.allocsim.simulator.device.simulated.SimulatedDevice} is the way in.
 */
@NullMarked
package org.allocsim.simulator.device.simulated;

import org.jspecify.annotations.NullMarked;
