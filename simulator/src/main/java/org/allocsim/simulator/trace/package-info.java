/**
 * What a program asked for, as columns of primitives: requests, their stacks and the work between
 * them. It knows neither devices nor allocators, and everything else may use it.
 */
@NullMarked
package org.allocsim.simulator.trace;

import org.jspecify.annotations.NullMarked;
