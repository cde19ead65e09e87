package org.allocsim.simulator.policy.offline;

import org.allocsim.simulator.policy.UnfitTraceException;

/**
 * How many steps making a plan may take: in proportion to the buffers, where comparing each with
 * each would take their square. Steps are counted, not timed, so that a plan is the same
 * everywhere.
 */
public final class PlanBudget {
  /** Plans of recorded programs take some hundreds; a second is some 10⁹ on one core. */
  private static final long STEPS_OF_A_BUFFER = 4096;

  /** Enough for every plan of a few thousand buffers. */
  private static final long MIN_STEPS = 1L << 26;

  private long stepsLeft;

  /** The budget for a plan of so many buffers. */
  public PlanBudget(int buffers) {
    stepsLeft = Math.max(MIN_STEPS, buffers * STEPS_OF_A_BUFFER);
  }

  /** Takes steps out of the budget; answers whether it held them. */
  boolean spend(long steps) {
    stepsLeft -= steps;
    return stepsLeft >= 0;
  }

  /** What says that no plan was made within a budget. */
  public static UnfitTraceException exceeded() {
    return new UnfitTraceException(
        "fewer allocations live at the same time: planning these takes more than "
            + STEPS_OF_A_BUFFER
            + " comparisons per allocation");
  }
}
