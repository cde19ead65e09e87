package org.allocsim.simulator.policy.offline;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.ggml.TensorAllocator;

/**
 * Plans as ggml plans the buffer of a compute graph: each request takes the smallest free place as
 * it comes, and the buffer becomes as large as that needed.
 *
 * <p><b>Source.</b> That of {@link TensorAllocator}.
 *
 * <p><b>Deviations.</b> What ggml places in several buffers, because the device makes none so
 * large, lies in one segment here. Results that ggml writes over a source are two tensors here: a
 * trace does not say which operations can work in place.
 */
final class TensorPlanner {
  private TensorPlanner() {}

  /**
   * A plan.
   *
   * @param allocator empty
   * @throws UnfitTraceException where more places are free than ggml can note
   */
  static Plan plan(Lifetimes lifetimes, TensorAllocator allocator) throws UnfitTraceException {
    int count = lifetimes.count();
    long[] places = new long[count];
    int[] byEnd =
        IntStream.range(0, count)
            .boxed()
            .sorted((a, b) -> Long.compare(lifetimes.upper()[a], lifetimes.upper()[b]))
            .mapToInt(Integer::intValue)
            .toArray();
    int freed = 0;
    try {
      for (int buffer = 0; buffer < count; buffer++) {
        while (lifetimes.upper()[byEnd[freed]] <= lifetimes.lower()[buffer]) {
          int ended = byEnd[freed++];
          allocator.free(places[ended], lifetimes.bytes()[ended]);
        }
        places[buffer] = allocator.allocate(lifetimes.bytes()[buffer]);
      }
    } catch (IllegalStateException e) {
      throw new UnfitTraceException("at most 256 free places at a time, as ggml-alloc does");
    }
    return Plan.of(lifetimes, offsets(places, allocator), lifetimes.maxLiveBytes());
  }

  /** Places with the chunks one after the other. */
  private static long[] offsets(long[] places, TensorAllocator allocator) {
    long[] starts = new long[allocator.chunkCount() + 1];
    for (int chunk = 0; chunk < allocator.chunkCount(); chunk++) {
      starts[chunk + 1] = starts[chunk] + allocator.chunkBytes(chunk);
    }
    return Arrays.stream(places)
        .map(place -> starts[TensorAllocator.chunk(place)] + TensorAllocator.offset(place))
        .toArray();
  }
}
