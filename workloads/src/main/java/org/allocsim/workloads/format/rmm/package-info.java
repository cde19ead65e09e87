/** The log of RMM's logging adaptor. */
@NullMarked
package org.allocsim.workloads.format.rmm;

import org.jspecify.annotations.NullMarked;
