/**
 * Trainings of many GPUs, one rank at a time: how parameters, activations and collectives are split
 * among ranks, and the schedules of pipelines. It follows PyTorch 2.11's own implementations.
 * Models and operations do not belong here; they do not know that they are split.
 */
@NullMarked
package org.allocsim.workloads.program.parallel;

import org.jspecify.annotations.NullMarked;
