/**
 * Plans that are made with the whole trace in view, and the bound that no allocator passes.
 * Whatever must know the future belongs here.
 */
@NullMarked
package org.allocsim.simulator.policy.offline;

import org.jspecify.annotations.NullMarked;
