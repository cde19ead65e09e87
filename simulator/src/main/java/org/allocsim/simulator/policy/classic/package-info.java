/** Textbook allocators over one heap: first, best, worst and next fit, TLSF, buddies, slabs. */
package org.allocsim.simulator.policy.classic;
