/** Umpire's pools, and when they coalesce. */
@NullMarked
package org.allocsim.simulator.policy.umpire;

import org.jspecify.annotations.NullMarked;
