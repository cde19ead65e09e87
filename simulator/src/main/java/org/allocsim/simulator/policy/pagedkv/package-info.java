/** Paged memory for keys and values, as vLLM manages it. */
package org.allocsim.simulator.policy.pagedkv;
