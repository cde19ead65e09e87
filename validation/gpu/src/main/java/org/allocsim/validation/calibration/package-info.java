/**
 * Finds the parameters of the simulated device on a real one: small experiments with driver calls
 * whose answers and times lead to a {@link org.allocsim.simulator.device.DeviceProfile}.
 *
 * <p>Every experiment runs twice in lockstep, on the device and on a simulated one whose costs are
 * marks, so that each timed call comes with the terms of the cost model that apply to it. The
 * parameters are then linear regressions of times on terms ({@link RobustFit}); what the simulator
 * accounts otherwise than the device answers is counted and reported.
 */
@NullMarked
package org.allocsim.validation.calibration;

import org.jspecify.annotations.NullMarked;
