/** The memory resources of RAPIDS RMM: pool, arena, blocks of one size, bins. */
@NullMarked
package org.allocsim.simulator.policy.rmm;

import org.jspecify.annotations.NullMarked;
