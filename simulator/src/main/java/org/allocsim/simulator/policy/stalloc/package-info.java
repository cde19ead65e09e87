/** STAlloc: a plan made from a profile, with a caching allocator for what it does not foresee. */
package org.allocsim.simulator.policy.stalloc;
