package org.allocsim.analysis.idle.memory;

import org.allocsim.analysis.idle.profile.MemorySamples;
import org.jspecify.annotations.Nullable;

/**
 * The most memory at a time.
 *
 * @param allocatedBytes in blocks that the program held
 * @param reservedBytes in segments that the allocator held; not necessarily at the same moment
 */
public record MemoryPeak(long allocatedBytes, long reservedBytes) {
  /** The higher of both, of each kind of memory. */
  public static MemoryPeak highest(MemoryPeak one, MemoryPeak other) {
    return new MemoryPeak(
        Math.max(one.allocatedBytes, other.allocatedBytes),
        Math.max(one.reservedBytes, other.reservedBytes));
  }

  /**
   * The peak of a GPU in a stretch of time, with what was held when it began; null where that is
   * not known.
   */
  public static @Nullable MemoryPeak of(
      MemorySamples samples, long device, long beginNanos, long endNanos) {
    long allocated = -1;
    long reserved = -1;
    int first = samples.firstAfter(beginNanos);
    for (int sample = first - 1; sample >= 0; sample--) {
      if (samples.device(sample) == device) {
        allocated = samples.allocatedBytes(sample);
        reserved = samples.reservedBytes(sample);
        break;
      }
    }
    for (int sample = first;
        sample < samples.count() && samples.nanos(sample) < endNanos;
        sample++) {
      if (samples.device(sample) == device) {
        allocated = Math.max(allocated, samples.allocatedBytes(sample));
        reserved = Math.max(reserved, samples.reservedBytes(sample));
      }
    }
    return reserved < 0 ? null : new MemoryPeak(allocated, reserved);
  }
}
