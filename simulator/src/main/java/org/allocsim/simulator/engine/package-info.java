/**
 * Sends the rows of a trace to a policy, and checks what the policy then holds. It knows policies
 * and effects by their interfaces only; statistics listen beside it.
 */
@NullMarked
package org.allocsim.simulator.engine;

import org.jspecify.annotations.NullMarked;
