/** Blocks in order: by size, as best fit needs them, or by address, as first fit does. */
package org.allocsim.simulator.order;
