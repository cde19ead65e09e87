/** The log of RMM's logging adaptor. */
package org.allocsim.workloads.format.rmm;
