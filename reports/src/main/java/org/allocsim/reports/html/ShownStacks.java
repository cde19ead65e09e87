package org.allocsim.reports.html;

import java.util.Arrays;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * Which stacks a page shows. Each takes some hundred bytes of the page, so that a million of them
 * would make one that no browser opens in time: of so many, those are shown whose blocks are the
 * most bytes together, and the others are one.
 */
final class ShownStacks {
  /** Maximum number of stacks that a page shows. */
  static final int MOST = 1 << 16;

  /** What the others are called. */
  static final String OTHERS =
      "(other stacks: a page shows the " + MOST + " that allocate the most bytes)";

  private final boolean[] isLeftOut;

  private ShownStacks(int stacks) {
    isLeftOut = new boolean[stacks];
  }

  /**
   * The stacks of blocks.
   *
   * @param rows the rows that ask for them
   */
  static ShownStacks of(AllocationTrace trace, int[] rows) {
    long[] bytes = new long[trace.stacks().stackCount()];
    boolean[] allocates = new boolean[bytes.length];
    for (int row : rows) {
      int stack = trace.stack(row);
      long sum = bytes[stack] + trace.bytes(row);
      bytes[stack] = sum < 0 ? Long.MAX_VALUE : sum;
      allocates[stack] = true;
    }
    ShownStacks shown = new ShownStacks(bytes.length);
    long[] sorted = new long[bytes.length];
    int count = 0;
    for (int stack = 0; stack < bytes.length; stack++) {
      if (allocates[stack]) {
        sorted[count++] = bytes[stack];
      }
    }
    if (count > MOST) {
      Arrays.sort(sorted, 0, count);
      shown.leaveOut(bytes, sorted[count - MOST], sorted, count);
    }
    return shown;
  }

  /** Of those with as many bytes as the least that is shown, the first ones are. */
  private void leaveOut(long[] bytes, long least, long[] sorted, int count) {
    int alike = 0;
    for (int place = count - MOST; place < count && sorted[place] == least; place++) {
      alike++;
    }
    for (int stack = 0; stack < bytes.length; stack++) {
      isLeftOut[stack] = bytes[stack] < least || bytes[stack] == least && alike-- <= 0;
    }
  }

  /** Whether a stack is one of the others. */
  boolean isLeftOut(int stack) {
    return isLeftOut[stack];
  }
}
