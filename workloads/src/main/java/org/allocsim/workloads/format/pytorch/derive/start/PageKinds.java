package org.allocsim.workloads.format.pytorch.derive.start;

import java.util.BitSet;
import java.util.SortedMap;
import java.util.TreeMap;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.RequestSizes;

/**
 * Says for every row that maps or unmaps pages whether they belong to a pool of small blocks. What
 * was mapped or allocated in unmapped pages before shows it; where nothing was, the size does:
 * pages of the large pools are mapped in multiples of their size.
 */
final class PageKinds {
  private final BitSet small = new BitSet();

  PageKinds(EffectLog effects, AllocatorConfig config) {
    TreeMap<Long, Boolean> smallAt = new TreeMap<>(Long::compareUnsigned);
    boolean anyPages = false;
    for (int row = 0; row < effects.count(); row++) {
      anyPages |= isPages(effects, row);
    }
    for (int row = 0; anyPages && row < effects.count(); row++) {
      long address = effects.address(row);
      long bytes = effects.bytes(row);
      boolean ofSmallSize = bytes % config.largeSegmentBytes() != 0;
      switch (effects.kind(row)) {
        case ALLOC, FREE_COMPLETED ->
            smallAt.put(address, config.blockBytesFor(bytes) <= RequestSizes.SMALL_REQUEST_BYTES);
        case SEGMENT_MAP -> {
          small.set(row, ofSmallSize);
          smallAt.put(address, ofSmallSize);
        }
        case SEGMENT_UNMAP -> {
          SortedMap<Long, Boolean> inside = smallAt.subMap(address, address + bytes);
          small.set(row, inside.isEmpty() ? ofSmallSize : inside.firstEntry().getValue());
          inside.clear();
        }
        case SEGMENT_ALLOC, SEGMENT_FREE, FREE_REQUESTED, OOM, SNAPSHOT -> {}
      }
    }
  }

  private static boolean isPages(EffectLog effects, int row) {
    return switch (effects.kind(row)) {
      case SEGMENT_MAP, SEGMENT_UNMAP -> true;
      default -> false;
    };
  }

  /** Whether the pages that a row maps or unmaps belong to a pool of small blocks. */
  boolean isSmall(int row) {
    return small.get(row);
  }
}
