/** Whole commands, measured on a recording that the simulator itself makes. */
@NullMarked
package org.allocsim.benchmarks.command;

import org.jspecify.annotations.NullMarked;
