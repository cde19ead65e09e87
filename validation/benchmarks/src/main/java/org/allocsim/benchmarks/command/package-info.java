/** Whole commands, measured on a recording that the simulator itself makes. */
package org.allocsim.benchmarks.command;
