package org.allocsim.workloads.format.pytorch;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Numbers stream handles in the order they come; the finished snapshot renumbers by handle. */
final class StreamNumbers {
  /**
   * Maximum number of streams of a snapshot, so that a number fits the {@code short} of a column.
   */
  static final int MOST = 32_000;

  private final Map<Long, Integer> numbers = new HashMap<>();
  private long[] handles = new long[16];
  private long lastHandle;
  private int lastNumber = -1;

  /** The provisional number of a stream, or −1 where there are too many. */
  int number(long handle) {
    if (handle == lastHandle && lastNumber >= 0) {
      return lastNumber;
    }
    Integer known = numbers.get(handle);
    int number;
    if (known != null) {
      number = known;
    } else if (numbers.size() == MOST) {
      return -1;
    } else {
      number = numbers.size();
      numbers.put(handle, number);
      if (number == handles.length) {
        handles = Arrays.copyOf(handles, number * 2);
      }
      handles[number] = handle;
    }
    lastHandle = handle;
    lastNumber = number;
    return number;
  }

  /** Number of streams seen. */
  int count() {
    return numbers.size();
  }

  /** Handles of the streams that are used, ascending as unsigned numbers. */
  long[] sortedHandles(boolean[] used) {
    long[] sorted = new long[count()];
    int kept = 0;
    for (int number = 0; number < count(); number++) {
      if (used[number]) {
        sorted[kept++] = handles[number] ^ Long.MIN_VALUE;
      }
    }
    sorted = Arrays.copyOf(sorted, kept);
    Arrays.sort(sorted);
    for (int i = 0; i < kept; i++) {
      sorted[i] ^= Long.MIN_VALUE;
    }
    return sorted;
  }

  /** The final number of each provisional one, −1 for streams that are not used. */
  short[] finalNumbers(long[] sortedHandles) {
    Map<Long, Integer> positions = new HashMap<>();
    for (int i = 0; i < sortedHandles.length; i++) {
      positions.put(sortedHandles[i], i);
    }
    short[] finals = new short[count()];
    for (int number = 0; number < finals.length; number++) {
      finals[number] = (short) (int) positions.getOrDefault(handles[number], -1);
    }
    return finals;
  }
}
