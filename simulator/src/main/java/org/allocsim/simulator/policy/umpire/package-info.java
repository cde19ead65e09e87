/** Umpire's pools, and when they coalesce. */
package org.allocsim.simulator.policy.umpire;
