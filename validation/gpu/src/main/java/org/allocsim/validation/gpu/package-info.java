/**
 * Runs of policies on a real GPU, and comparisons with the simulated device. What calls CUDA is in
 * {@link org.allocsim.validation.gpu.cuda}.
 */
@NullMarked
package org.allocsim.validation.gpu;

import org.jspecify.annotations.NullMarked;
