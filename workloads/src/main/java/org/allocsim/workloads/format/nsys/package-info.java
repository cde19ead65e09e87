/** What Nsight Systems records of GPU memory, exported to SQLite. */
@NullMarked
package org.allocsim.workloads.format.nsys;

import org.jspecify.annotations.NullMarked;
