package org.allocsim.analysis.idle.activity;

import org.allocsim.analysis.idle.profile.MemorySamples;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a GPU over time, the most within each column; −1 where it is not known yet.
 *
 * @param allocatedBytes bytes of blocks that the program held
 * @param reservedBytes bytes of segments that the allocator held
 */
@SuppressWarnings("ArrayRecordComponent") // columns, which nobody compares
public record MemoryLine(long[] allocatedBytes, long[] reservedBytes) {
  /** The line of a stretch; null where the profile has no memory of that GPU before its end. */
  static @Nullable MemoryLine of(MemorySamples samples, long device, Span span) {
    long[] allocated = new long[span.columns()];
    long[] reserved = new long[span.columns()];
    long nowAllocated = -1;
    long nowReserved = -1;
    int sample = 0;
    for (int column = 0; column < span.columns(); column++) {
      allocated[column] = nowAllocated;
      reserved[column] = nowReserved;
      long until = span.boundary(column + 1);
      for (; sample < samples.count() && samples.nanos(sample) < until; sample++) {
        if (samples.device(sample) != device) {
          continue;
        }
        boolean isWithin = samples.nanos(sample) >= span.boundary(column);
        nowAllocated = samples.allocatedBytes(sample);
        nowReserved = samples.reservedBytes(sample);
        allocated[column] = isWithin ? Math.max(allocated[column], nowAllocated) : nowAllocated;
        reserved[column] = isWithin ? Math.max(reserved[column], nowReserved) : nowReserved;
      }
    }
    return nowReserved < 0 ? null : new MemoryLine(allocated, reserved);
  }
}
