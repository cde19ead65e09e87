/**
 * One policy, its settings and a device meet one trace: {@link org.allocsim.simulator.run.Run} is
 * the only way in which they do. What to run is a setup, who looks on is an observer, what came of
 * it is a result with its failed requests. What answers say about results does not belong here.
 * This package may use all others of the simulator, and none of them may use it.
 */
@NullMarked
package org.allocsim.simulator.run;

import org.jspecify.annotations.NullMarked;
