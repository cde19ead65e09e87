/** Paged memory for keys and values, as vLLM manages it. */
@NullMarked
package org.allocsim.simulator.policy.pagedkv;

import org.jspecify.annotations.NullMarked;
