package org.allocsim.reports.answer.moment;

import org.allocsim.analysis.moment.StackLabels;

/**
 * How much of a table is shown.
 *
 * @param top most lines; the others are added up
 * @param frames most frames of a stack that distinguish its lines
 */
public record TableLimits(int top, int frames) {
  /** Lines that are shown unless another number is asked for. */
  public static final int DEFAULT_TOP = 20;

  /** Unless something else is asked for. */
  public static final TableLimits DEFAULT =
      new TableLimits(DEFAULT_TOP, StackLabels.DEFAULT_FRAMES);
}
