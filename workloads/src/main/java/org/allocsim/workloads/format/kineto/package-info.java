/** Memory events in profiles of PyTorch's profiler. */
@NullMarked
package org.allocsim.workloads.format.kineto;

import org.jspecify.annotations.NullMarked;
