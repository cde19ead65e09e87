package org.allocsim.analysis.suite;

/**
 * A figure and what it has to be.
 *
 * @param what names the figure
 * @param expected what it has to be, as text
 * @param actual what it is, as text
 * @param holds whether it is so
 */
public record Check(String what, String expected, String actual, boolean holds) {}
