/** The memory resources of RAPIDS RMM: pool, arena, blocks of one size, bins. */
package org.allocsim.simulator.policy.rmm;
