/**
 * Blocks in order: by size, as best fit needs them, or by address, as first fit does; and addresses
 * with a number each. It knows blocks by their size and place only and uses no other package.
 */
@NullMarked
package org.allocsim.simulator.order;

import org.jspecify.annotations.NullMarked;
