/**
 * STAlloc's traces, {@code trace/mem_log_dev<N>.txt} of infinigence/STAlloc 3a9f97f (2025-09): one
 * call a line in order, without times, of one device.
 *
 * <table>
 * <caption>Lines</caption>
 * <tr><th>line</th><th>request</th></tr>
 * <tr><td>{@code 1 <pointer> <bytes> <stream>}</td><td>allocate; the null pointer 0 is what a
 *     request of no bytes gets</td></tr>
 * <tr><td>{@code 0 <pointer> <bytes> <stream>}</td><td>free, with the bytes requested</td></tr>
 * <tr><td>{@code Iteration Index : <n>}</td><td>marker that lasts to the next such line; n is
 *     {@code end} after the last iteration</td></tr>
 * <tr><td>{@code micro-batch : F} (B, W)</td><td>marker that lasts to the next such line or
 *     iteration</td></tr>
 * <tr><td>{@code <layer>->Module Layer : F-start} (F-end, B-start, B-end)</td><td>marker begins,
 *     ends</td></tr>
 * </table>
 */
@NullMarked
package org.allocsim.workloads.format.stalloc;

import org.jspecify.annotations.NullMarked;
