/**
 * Our own trace format, JSON Lines, version 1: one JSON object a line, UTF-8, in order.
 *
 * <p>The first line is {@code {"allocsim":"trace","version":1}}. Every other line has an {@code op}
 * and the fields that the op knows; a field that is not known is an error.
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
 * <tr><td>begin, end</td><td>name</td><td>a named phase</td></tr>
 * <tr><td>snapshot</td><td></td><td>the program took a snapshot</td></tr>
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
 * of pools), {@code prologue_end} (all lines so far recreate what existed before the recording).
 */
package org.allocsim.workloads.format.jsonl;
