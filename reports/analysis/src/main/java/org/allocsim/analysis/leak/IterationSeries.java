package org.allocsim.analysis.leak;

import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * Figures of every iteration.
 *
 * @param floorBytes live bytes, in whole blocks, at the quietest moment
 * @param floorRequestedBytes what the program asked for of them
 * @param keptBytes the part of {@code floorBytes} allocated before the iteration before: what is
 *     neither of this iteration nor handed over from the last, so that batches of varying size do
 *     not show in it; 0 for the first two iterations, which have no such past
 * @param peakBytes live bytes at the busiest moment
 * @param reservedBytes reserved at the end
 * @param excessBytes reserved at the end beyond the highest that was ever live until then
 */
public record IterationSeries(
    long[] floorBytes,
    long[] floorRequestedBytes,
    long[] keptBytes,
    long[] peakBytes,
    long[] reservedBytes,
    long[] excessBytes) {
  /** Iterations at the start without {@link #keptBytes}. */
  static final int KEPT_LAG = 2;

  static IterationSeries of(AllocationTrace trace, int device, IterationSampler sampler) {
    long[] reserved = sampler.reservedBytes();
    long[] highest = sampler.maxBytes();
    long[] excess = new long[reserved.length];
    for (int i = 0; i < excess.length; i++) {
      excess[i] = reserved[i] - highest[i];
    }
    return new IterationSeries(
        sampler.floorBytes(),
        sampler.floorRequestedBytes(),
        kept(trace, device, sampler),
        sampler.peakBytes(),
        reserved,
        excess);
  }

  private static long[] kept(AllocationTrace trace, int device, IterationSampler sampler) {
    Iterations iterations = sampler.iterations();
    int count = iterations.count();
    long[] change = new long[count + 1];
    int[] keptFrom = new int[trace.allocationCount()];
    int iteration = -1;
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) != device) {
        continue;
      }
      while (iteration < count && iterations.begin(iteration + 1) <= event) {
        iteration++;
      }
      RequestKind kind = trace.kind(event);
      int allocation = trace.allocation(event);
      if (kind == RequestKind.ALLOCATE || kind == RequestKind.RESTORE_BLOCK) {
        keptFrom[allocation] = Math.min(count, Math.max(0, iteration + KEPT_LAG));
        change[keptFrom[allocation]] += sampler.blockBytes(allocation);
      } else if (kind == RequestKind.FREE) {
        // At its quietest moment an iteration still holds what is freed after that moment.
        boolean isLate =
            iteration >= 0 && iteration < count && sampler.floorEvent(iteration) < event;
        int until = isLate ? iteration + 1 : iteration;
        change[Math.min(count, Math.max(keptFrom[allocation], until))] -=
            sampler.blockBytes(allocation);
      }
    }
    long[] kept = new long[count];
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      bytes += change[i];
      kept[i] = i < KEPT_LAG ? 0 : bytes;
    }
    return kept;
  }

  /** Number of iterations. */
  public int count() {
    return floorBytes.length;
  }
}
