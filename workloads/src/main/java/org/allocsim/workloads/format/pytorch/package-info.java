/**
 * Reads PyTorch's memory snapshots: a pickle becomes columns, without running any code in it. What
 * the columns mean for an allocator is found in the package below this one.
 */
@NullMarked
package org.allocsim.workloads.format.pytorch;

import org.jspecify.annotations.NullMarked;
