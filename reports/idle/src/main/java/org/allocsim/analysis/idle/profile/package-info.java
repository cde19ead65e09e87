/**
 * The time in profiles of PyTorch's profiler: what the GPU and the threads of the host did when.
 * Memory events of the same files are read by {@code workloads.format.kineto}.
 */
@NullMarked
package org.allocsim.analysis.idle.profile;

import org.jspecify.annotations.NullMarked;
