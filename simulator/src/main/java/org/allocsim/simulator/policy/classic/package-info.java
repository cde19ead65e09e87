/** Textbook allocators over one heap: first, best, worst and next fit, TLSF, buddies, slabs. */
@NullMarked
package org.allocsim.simulator.policy.classic;

import org.jspecify.annotations.NullMarked;
