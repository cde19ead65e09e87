package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The free lists of both kinds of pool of one owner: two for each stream. */
final class FreeLists {
  /** Small and large of stream 0, of stream 1 and so on; null for those that do not exist. */
  private FreeList[] lists = new FreeList[8];

  /** The list of a stream for blocks of so many bytes, or null where there is none yet. */
  @Nullable FreeList find(int stream, long roundedBytes) {
    // Without a branch, which would often be guessed wrong.
    int large = (int) (RequestSizes.SMALL_REQUEST_BYTES - roundedBytes >>> Long.SIZE - 1);
    int index = stream << 1 | large;
    return Integer.compareUnsigned(index, lists.length) < 0 ? lists[index] : null;
  }

  /** The list of a stream for a kind of block, or null where there is none yet. */
  @Nullable FreeList find(int stream, boolean small) {
    int index = indexOf(stream, small);
    return index < lists.length ? lists[index] : null;
  }

  /** Adds the list of a stream and kind that had none. */
  void add(FreeList list) {
    int index = indexOf(list.stream, list.small);
    if (index >= lists.length) {
      lists = Arrays.copyOf(lists, Math.max(index + 1, lists.length * 2));
    }
    lists[index] = list;
  }

  private static int indexOf(int stream, boolean small) {
    return stream << 1 | (small ? 0 : 1);
  }

  /** More than the number of every stream that has a list. */
  int streams() {
    // The last stream may have a place for small blocks only.
    return lists.length + 1 >> 1;
  }
}
