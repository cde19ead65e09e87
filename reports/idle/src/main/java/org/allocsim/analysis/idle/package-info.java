/**
 * Why a GPU is idle, and what would change it, from the time in a profile: {@code Timeline} joins
 * the work of the GPU with the calls of the host, {@code IdleAnalysis} gives every gap a cause, and
 * {@code StepReplay} runs the recorded steps again under changes.
 */
@NullMarked
package org.allocsim.analysis.idle;

import org.jspecify.annotations.NullMarked;
