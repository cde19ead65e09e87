/**
 * MiniMalloc's CSV: buffers of a program whose memory is planned beforehand, each with a lifetime
 * and a size (google/minimalloc, 2026-04, {@code src/converter.cc}; idealloc reads the same).
 *
 * <p>The header names the columns, in any order: {@code id} (or buffer, buffer_id), {@code lower}
 * (or begin, start), {@code upper} (or {@code end}, which is one less) and {@code size}; {@code
 * alignment}, {@code hint}, {@code gaps} and {@code offset} may follow. A buffer lives from lower
 * up to, but not at, upper. As requests: an allocation at lower, a free at upper; at the same time
 * frees come first, then the order of the file decides. Times have no unit; they become
 * nanoseconds.
 *
 * <p>A gap {@code a-b} means that the buffer's content is not needed between: the buffer becomes
 * one allocation for each part of its life. With a window ({@code a-b@lo:hi}) a part of the buffer
 * stays alive, and the whole buffer is kept. What a plan or a solver needs beside (alignment, hint,
 * offset) is no request; it is passed over and counted.
 */
@NullMarked
package org.allocsim.workloads.format.minimalloc;

import org.jspecify.annotations.NullMarked;
