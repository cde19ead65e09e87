/**
 * The benchmarks, for JMH.
 *
 * <p><b>What an event is.</b> An effect as PyTorch's history records it: {@code alloc}, {@code
 * free_requested}, {@code free_completed}, {@code segment_alloc}, {@code segment_free}, {@code
 * segment_map}, {@code segment_unmap}, {@code oom}. One allocation that is given back makes three
 * events, and two requests. Programs that drive an allocator from outside, such as one that calls
 * PyTorch's, see requests only; compare them by time per request. Simulations in time count rows of
 * the program instead: launches and waits are work there, and no effects.
 *
 * <p>One invocation is one pass over a trace. The counters {@code events}, {@code requests} and
 * {@code bytes} divide its time: JMH prints nanoseconds for each of them, and with {@code cpuNanos}
 * how many times longer all took than the processor was given to it.
 */
@NullMarked
package org.allocsim.benchmarks.suite;

import org.jspecify.annotations.NullMarked;
