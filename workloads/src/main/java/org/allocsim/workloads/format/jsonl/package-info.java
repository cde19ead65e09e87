/**
 * Our own trace format, JSON Lines: one JSON object a line, UTF-8, in order.
 *
 * <p>The first line is {@code {"allocsim":"trace","version":1}}; version 2 says that the file holds
 * a recording, too, and {@code "pytorch":false} that the program does not run on PyTorch; {@code
 * "refused_bytes"} is what was live and asked for when a request of the program failed, the least
 * where several did. Every other line has an {@code op} and the fields that the op knows; a field
 * that is not known is an error.
 *
 * <table>
 * <caption>Requests</caption>
 * <tr><th>op</th><th>fields</th><th>meaning</th></tr>
 * <tr><td>alloc</td><td>id, bytes, stream, pool, stack</td><td>ask for memory</td></tr>
 * <tr><td>free</td><td>id, stream, stack</td><td>give it back</td></tr>
 * <tr><td>use_stream</td><td>id, stream, rank</td><td>it is also used on a stream</td></tr>
 * <tr><td>use_complete</td><td>id, stream</td><td>that use, or every use, has finished</td></tr>
 * <tr><td>synchronize</td><td>stream</td><td>the host waited for a stream, or the device</td></tr>
 * <tr><td>empty_cache</td><td></td><td>return cached memory to the device</td></tr>
 * <tr><td>release_pool, empty_pool</td><td>pool</td><td>a private pool ends</td></tr>
 * <tr><td>restore_block</td><td>id, bytes, stream, pool, anchor, offset</td>
 *     <td>hand out a given place</td></tr>
 * <tr><td>change_settings</td><td>settings</td>
 *     <td>other settings of PyTorch's allocator from here on</td></tr>
 * <tr><td>change_limit</td><td>bytes</td>
 *     <td>another limit of what may be reserved; none without bytes</td></tr>
 * <tr><td>begin, end</td><td>name</td><td>a named phase</td></tr>
 * <tr><td>snapshot</td><td></td><td>the program took a snapshot</td></tr>
 * </table>
 *
 * <table>
 * <caption>What takes time, for simulations in time; allocators are not concerned</caption>
 * <tr><th>op</th><th>fields</th><th>meaning</th></tr>
 * <tr><td>launch</td><td>flops, memory_bytes, precision (fp32, tf32, fp16, bf16), stream</td>
 *     <td>queue a kernel</td></tr>
 * <tr><td>launch</td><td>ns, stream</td><td>queue a kernel that takes so long</td></tr>
 * <tr><td>launch</td><td>copy_bytes, to (device, host), host_memory (pinned, pageable), stream</td>
 *     <td>queue a copy</td></tr>
 * <tr><td>record_event, wait_event</td><td>event, stream</td><td>order streams</td></tr>
 * <tr><td>synchronize_event</td><td>event</td><td>the host waits</td></tr>
 * <tr><td>host_work</td><td>ns</td><td>the host is busy</td></tr>
 * <tr><td>load_batch</td><td>loader</td><td>take a loader's next batch</td></tr>
 * <tr><td>host_alloc</td><td>id, bytes</td><td>ask for page-locked host memory</td></tr>
 * <tr><td>host_free</td><td>id</td><td>give it back</td></tr>
 * <tr><td>host_use_stream</td><td>id, stream</td><td>what is queued there uses it</td></tr>
 * </table>
 *
 * <table>
 * <caption>Fields</caption>
 * <tr><th>field</th><th>value</th><th>where it is missing</th></tr>
 * <tr><td>time_ns</td><td>integer, nanoseconds of any clock</td><td>as in the row before</td></tr>
 * <tr><td>device</td><td>index of the GPU, 0 to 127</td><td>as in the row before, at first 0</td></tr>
 * <tr><td>id</td><td>integer; may be used again after its free</td><td>an error</td></tr>
 * <tr><td>bytes</td><td>integer from 0, as requested</td><td>an error</td></tr>
 * <tr><td>stream</td><td>handle, as integer or text such as "0x7f10"</td><td>alloc: 0; else not
 *     known, or all</td></tr>
 * <tr><td>pool</td><td>two integers: capture, user</td><td>the default pool [0,0]</td></tr>
 * <tr><td>stack</td><td>number that a stack line gave</td><td>not recorded</td></tr>
 * </table>
 *
 * <p>Lines that are no requests: {@code stack} (stack: a new number; frames: innermost first, each
 * {@code [file, line, function]}), {@code stream} and {@code pool} (declare one, to fix the order
 * of pools), {@code loader} (workers, prefetch, batch_ns, spread_ns, seed; loaders are numbered in
 * order, from 0), {@code prologue_end} (all lines so far recreate what existed before the
 * recording).
 *
 * <p>Version 2 has, after the streams and all stacks and before the first request, what PyTorch's
 * allocator did: {@code recording} (device, streams), {@code settings}, {@code note}, {@code
 * record} (parts of the text that {@code allocsim record} added), {@code annotation}, {@code
 * history} (rows, times, overflowed) with as many rows as lists, {@code segment} (with blocks as
 * lists), {@code recording_end}. Requests are derived from it when a file is opened; those of the
 * file are for other readers. Its last line is {@code trace_end} with the CRC-32 of the lines after
 * {@code recording_end}, so that neither a cut file nor changed requests pass.
 */
@NullMarked
package org.allocsim.workloads.format.jsonl;

import org.jspecify.annotations.NullMarked;
