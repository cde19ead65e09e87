/**
 * A real GPU behind the port that policies use, runs of policies on it, and comparisons with the
 * simulated device. Only this package knows CUDA's libraries. What it takes from a GPU it gives
 * back, however a run ends.
 */
@NullMarked
package org.allocsim.validation.gpu;

import org.jspecify.annotations.NullMarked;
