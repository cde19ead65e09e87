package org.allocsim.analysis.idle.profile;

import org.allocsim.simulator.column.LongColumn;
import org.allocsim.workloads.format.TimeOrder;

/**
 * What the allocator held after each of its calls, in the order of time: the memory events of a
 * profile that was recorded with {@code profile_memory=True}, or the history of a memory snapshot.
 */
public final class MemorySamples {
  /** No samples. */
  public static final MemorySamples NONE = new MemorySamples();

  /** Bytes of a sample here and in its order. */
  static final int SAMPLE_BYTES = 56;

  private final LongColumn nanos = new LongColumn();
  private final LongColumn devices = new LongColumn();
  private final LongColumn allocatedBytes = new LongColumn();
  private final LongColumn reservedBytes = new LongColumn();

  /** Adds a sample, in the order of the file. */
  public void add(long atNanos, long device, long allocated, long reserved) {
    nanos.add(atNanos);
    devices.add(device);
    allocatedBytes.add(allocated);
    reservedBytes.add(reserved);
  }

  /** The samples by time, which is counted from a base. */
  MemorySamples from(long baseNanos) {
    MemorySamples sorted = new MemorySamples();
    for (int sample : TimeOrder.of(nanos.toArray(), count())) {
      sorted.add(
          nanos(sample) - baseNanos, device(sample), allocatedBytes(sample), reservedBytes(sample));
    }
    return sorted;
  }

  /** Number of samples. */
  public int count() {
    return nanos.count();
  }

  /** When the call was made, from the first row of the profile. */
  public long nanos(int sample) {
    return nanos.get(sample);
  }

  /** Index of the GPU. */
  public long device(int sample) {
    return devices.get(sample);
  }

  /** Bytes of blocks that the program held. */
  public long allocatedBytes(int sample) {
    return allocatedBytes.get(sample);
  }

  /** Bytes of segments that the allocator held. */
  public long reservedBytes(int sample) {
    return reservedBytes.get(sample);
  }

  /** The first sample later than a moment; the count where none is. */
  public int firstAfter(long moment) {
    return nanos.firstAbove(moment);
  }
}
