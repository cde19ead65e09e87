package org.allocsim.workloads.format.pytorch;

import java.util.Arrays;

/** The lists that are being filled, each with what it holds so far. */
final class OpenLists {
  /** Maximum number of lists that may be open at once. */
  static final int MOST = 1 << 16;

  int[] stackPositions = new int[16];
  int[] memoSlots = new int[16];

  /** What a list holds, null while it is empty. */
  ListContent[] contents = new ListContent[16];

  private int[] free = new int[16];
  private int freeCount;
  private int used;

  /** A new empty list, or −1 where too many are open. */
  int open(int stackPosition) {
    int list;
    if (freeCount > 0) {
      list = free[--freeCount];
    } else {
      if (used == MOST) {
        return -1;
      }
      if (used == contents.length) {
        stackPositions = Arrays.copyOf(stackPositions, used * 2);
        memoSlots = Arrays.copyOf(memoSlots, used * 2);
        contents = Arrays.copyOf(contents, used * 2);
        free = Arrays.copyOf(free, used * 2);
      }
      list = used++;
    }
    contents[list] = null;
    stackPositions[list] = stackPosition;
    memoSlots[list] = -1;
    return list;
  }

  /** The list is finished. */
  void close(int list) {
    contents[list] = null;
    free[freeCount++] = list;
  }
}
