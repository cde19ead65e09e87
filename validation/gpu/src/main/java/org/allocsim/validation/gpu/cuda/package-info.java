/**
 * A real GPU behind the port that policies use. Only this package knows CUDA's libraries. What it
 * takes from a GPU it gives back, however a run ends. Runs and comparisons do not belong here.
 */
@NullMarked
package org.allocsim.validation.gpu.cuda;

import org.jspecify.annotations.NullMarked;
