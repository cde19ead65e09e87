package org.allocsim.simulator.policy.use;

import java.util.Arrays;

/** Gives out row numbers: those that were given back first, else the next one. */
final class SpareRows {
  private int[] spare = new int[16];
  private int spareCount;
  private int rows;

  /** A row that is not in use; the number of rows so far where it is a new one. */
  int take() {
    return spareCount > 0 ? spare[--spareCount] : rows++;
  }

  void recycle(int row) {
    if (spareCount == spare.length) {
      spare = Arrays.copyOf(spare, 2 * spareCount);
    }
    spare[spareCount++] = row;
  }
}
