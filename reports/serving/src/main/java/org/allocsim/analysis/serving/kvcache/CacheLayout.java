package org.allocsim.analysis.serving.kvcache;

import java.util.List;

/**
 * What a cache takes from the device before it serves, and what its calls mean.
 *
 * @param rangeBytes bytes of its ranges of addresses, in order
 * @param handleBytes size of the handles that are mapped into them; 0 where each range is a segment
 *     with memory (<code>cuMemAlloc</code>)
 * @param handles handles that are made at the start and kept; 0 where each is made when it is
 *     mapped and given back when it is unmapped
 */
public record CacheLayout(List<Long> rangeBytes, long handleBytes, int handles) {
  /** Keeps its own copy. */
  public CacheLayout {
    rangeBytes = List.copyOf(rangeBytes);
  }

  /** Segments with memory, to which nothing is mapped later. */
  static CacheLayout segments(List<Long> bytes) {
    return new CacheLayout(bytes, 0, 0);
  }
}
