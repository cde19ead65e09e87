/**
 * The one way to open a trace, whatever holds it: a file of any format, or a program by name.
 *
 * <p>{@link org.allocsim.workloads.source.TraceSource#open} reads a file once. What is known of the
 * recorded program beside it (release, limit, size of the GPU) may follow from the settings in the
 * file, so {@link org.allocsim.workloads.source.TraceSource#read} takes that in a second step and
 * gives the requests, with the recording where the file holds one.
 */
@NullMarked
package org.allocsim.workloads.source;

import org.jspecify.annotations.NullMarked;
