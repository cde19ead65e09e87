/**
 * What a trace format is to the rest of the program: how it is recognised, read and written, and
 * how errors name their place. Each format has a package below this one with a reader, a writer
 * where it has one, and nothing else; formats do not use each other.
 */
@NullMarked
package org.allocsim.workloads.format;

import org.jspecify.annotations.NullMarked;
