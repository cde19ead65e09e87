package org.allocsim.simulator.policy.stalloc;

/**
 * What STAlloc's plan file holds: where each static request of the first and of a steady iteration
 * is placed in one arena. A row is one request of more than 512 bytes, in order.
 *
 * @param offsetBytes place of each row, −1 for a row without
 * @param bytes exact request of each row
 * @param firstRows rows of the first iteration and of all before it; the others are those of a
 *     steady iteration, which come again and again
 * @param reservedBytes size of the arena, 0 for a plan without one
 * @param liveBytes most bytes of planned requests that are ever live, rounded as the plan rounds
 *     them: no plan can reserve less
 * @param slotBytes most bytes that requests of up to 512 bytes ever take
 * @param unplanned ascending numbers of the requests of more than 512 bytes, counted from 0, that
 *     have no row and are left to the caching allocator
 */
public record StAllocPlan(
    long[] offsetBytes,
    long[] bytes,
    int firstRows,
    long reservedBytes,
    long liveBytes,
    long slotBytes,
    int[] unplanned) {
  /** A plan for a program of which nothing is known: everything is left to the fallback. */
  public static final StAllocPlan NONE =
      new StAllocPlan(new long[0], new long[0], 0, 0, 0, 0, new int[0]);

  /** Number of rows. */
  public int rows() {
    return bytes.length;
  }
}
