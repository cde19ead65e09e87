/**
 * Uses of memory on streams other than its own, from the use to the moment when the memory may
 * serve again, for every allocator that waits for them. When memory is given back, and to whom,
 * does not belong here. No operation takes longer than the logarithm of the number of uses.
 */
@NullMarked
package org.allocsim.simulator.policy.use;

import org.jspecify.annotations.NullMarked;
