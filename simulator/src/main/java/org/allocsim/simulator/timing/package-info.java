/**
 * Simulation in time: a program's host thread, the streams of its GPU, its copies and its data
 * loaders, with an allocator whose driver calls take time and wait as the real ones do.
 *
 * <p><b>Model.</b> The host handles the rows of a trace one after the other and is ahead of the GPU
 * unless it has to wait. Each stream does its work in the order in which it was queued. The GPU has
 * one engine that computes, one for copies in each direction, and its links; each serves what is
 * ready first, one at a time, so kernels of several streams take turns: kernels large enough to
 * matter fill a GPU. Messages among ranks run beside kernels and take no time from them; all ranks
 * are as far as this one. Time is {@code long} nanoseconds from 0.
 *
 * <p><b>Order of what happens at the same moment.</b> What was scheduled first happens first; of
 * work that gets ready at the same moment, what was queued first is served first. Whatever the GPU
 * does up to and including the host's time has happened for the host.
 *
 * <p><b>What waits.</b> {@code cuMemFree} waits for the whole device (CUDA documents it as
 * synchronising), unmapping for the stream of its range (PyTorch 2.11 does so first), waiting for
 * outstanding stream uses for these; a pageable copy and everything called synchronise for what
 * they name; a launch while the queue of a stream is full.
 */
@NullMarked
package org.allocsim.simulator.timing;

import org.jspecify.annotations.NullMarked;
