/**
 * The command line: one class per command, with its options. A command reads, calls one analysis
 * and prints one answer. This package may use all others; none may use it.
 */
package org.allocsim.reports.cli;
