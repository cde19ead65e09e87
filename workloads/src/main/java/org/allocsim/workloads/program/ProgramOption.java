package org.allocsim.workloads.program;

/**
 * A knob of a program.
 *
 * @param name how it is written
 * @param standard value where none is given
 * @param meaning what it does, in one line
 */
public record ProgramOption(String name, String standard, String meaning) {}
