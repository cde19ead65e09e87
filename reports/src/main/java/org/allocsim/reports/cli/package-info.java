/**
 * The command line: one class per command, with its options. A command reads, calls one analysis
 * and prints one answer. This package may use all others; none may use it.
 */
@NullMarked
package org.allocsim.reports.cli;

import org.jspecify.annotations.NullMarked;
