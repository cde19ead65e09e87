/** STAlloc: a plan made from a profile, with a caching allocator for what it does not foresee. */
@NullMarked
package org.allocsim.simulator.policy.stalloc;

import org.jspecify.annotations.NullMarked;
