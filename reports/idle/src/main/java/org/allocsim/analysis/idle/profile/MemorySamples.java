package org.allocsim.analysis.idle.profile;

import java.util.Arrays;
import org.allocsim.workloads.format.TimeOrder;

/**
 * What the allocator held after each of its calls, in the order of time: the memory events of a
 * profile that was recorded with {@code profile_memory=True}.
 */
public final class MemorySamples {
  /** No samples. */
  public static final MemorySamples NONE = new MemorySamples();

  /** Bytes of a sample here and in its order. */
  static final int SAMPLE_BYTES = 56;

  private int count;
  private long[] nanos = new long[0];
  private long[] devices = new long[0];
  private long[] allocatedBytes = new long[0];
  private long[] reservedBytes = new long[0];

  /** Adds a sample, in the order of the file. */
  void add(long atNanos, long device, long allocated, long reserved) {
    if (count == nanos.length) {
      int capacity = Math.max(256, count + (count >> 1));
      nanos = Arrays.copyOf(nanos, capacity);
      devices = Arrays.copyOf(devices, capacity);
      allocatedBytes = Arrays.copyOf(allocatedBytes, capacity);
      reservedBytes = Arrays.copyOf(reservedBytes, capacity);
    }
    nanos[count] = atNanos;
    devices[count] = device;
    allocatedBytes[count] = allocated;
    reservedBytes[count++] = reserved;
  }

  /** The samples by time, which is counted from a base. */
  MemorySamples from(long baseNanos) {
    MemorySamples sorted = new MemorySamples();
    for (int sample : TimeOrder.of(Arrays.copyOf(nanos, count), count)) {
      sorted.add(
          nanos[sample] - baseNanos,
          devices[sample],
          allocatedBytes[sample],
          reservedBytes[sample]);
    }
    return sorted;
  }

  /** Number of samples. */
  public int count() {
    return count;
  }

  /** When the call was made, from the first row of the profile. */
  public long nanos(int sample) {
    return nanos[sample];
  }

  /** Index of the GPU. */
  public long device(int sample) {
    return devices[sample];
  }

  /** Bytes of blocks that the program held. */
  public long allocatedBytes(int sample) {
    return allocatedBytes[sample];
  }

  /** Bytes of segments that the allocator held. */
  public long reservedBytes(int sample) {
    return reservedBytes[sample];
  }

  /** The first sample later than a moment; the count where none is. */
  public int firstAfter(long moment) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (nanos[middle] <= moment) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
