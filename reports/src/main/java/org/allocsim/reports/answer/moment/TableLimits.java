package org.allocsim.reports.answer.moment;

/**
 * How much of a table is shown.
 *
 * @param top most lines; the others are added up
 * @param frames most frames of a stack that distinguish its lines
 */
public record TableLimits(int top, int frames) {}
