package org.allocsim.workloads.format.pytorch.derive.start;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.workloads.format.pytorch.derive.start.StartReconstruction.Block;
import org.allocsim.workloads.format.pytorch.derive.start.StartReconstruction.Run;
import org.jspecify.annotations.Nullable;

/**
 * Where the address ranges of the expandable segments of a start begin: at the lowest page that is
 * mapped before all are unmapped, after which a range is given back and another one taken. Ranges
 * do not overlap, so neither pages of another nor ordinary segments lie between pages of one.
 */
final class StartRanges {
  private final TreeMap<Long, Range> ranges = new TreeMap<>(Long::compareUnsigned);

  private static final class Range {
    final Run run;
    final long first;
    long start;
    long end;
    long mappedBytes;

    Range(Block block) {
      run = block.run;
      first = block.address;
      start = first;
    }

    /** How far an address is from the pages of the start; 0 among them. */
    long distance(long address) {
      if (Long.compareUnsigned(address, first) < 0) {
        return first - address;
      }
      return Long.compareUnsigned(address, end) < 0 ? 0 : address - end;
    }
  }

  /**
   * Finds the ranges.
   *
   * @param blocks of the start, by ascending address
   */
  StartRanges(EffectLog effects, List<Block> blocks, PageKinds kinds) {
    Range last = null;
    for (Block block : blocks) {
      if (!block.run.expandable()) {
        last = null;
        continue;
      }
      if (last == null || !last.run.equals(block.run)) {
        last = new Range(block);
        ranges.put(last.first, last);
      }
      last.end = block.end();
      last.mappedBytes += block.bytes;
    }
    for (int row = 0; row < effects.count() && !ranges.isEmpty(); row++) {
      EffectKind kind = effects.kind(row);
      if (kind == EffectKind.SEGMENT_MAP || kind == EffectKind.SEGMENT_UNMAP) {
        long address = effects.address(row);
        Range range = rangeAt(address, effects.stream(row), kinds.isSmall(row));
        if (range != null) {
          range.start = Long.compareUnsigned(address, range.start) < 0 ? address : range.start;
          range.mappedBytes +=
              kind == EffectKind.SEGMENT_MAP ? effects.bytes(row) : -effects.bytes(row);
        }
      }
    }
  }

  /** Where the range begins that a block of the start lies in. */
  long startOf(long address) {
    return ranges.floorEntry(address).getValue().start;
  }

  /** The range that still has pages and that pages of this kind may belong to; null if none. */
  private @Nullable Range rangeAt(long address, int stream, boolean small) {
    Map.Entry<Long, Range> below = ranges.floorEntry(address);
    Map.Entry<Long, Range> above = ranges.higherEntry(address);
    Range lower = below != null && isOf(below.getValue(), stream, small) ? below.getValue() : null;
    boolean isBetween = below == null || Long.compareUnsigned(below.getValue().end, address) <= 0;
    Range upper =
        isBetween && above != null && isOf(above.getValue(), stream, small)
            ? above.getValue()
            : null;
    if (lower == null || upper == null) {
      return lower == null ? upper : lower;
    }
    return lower.distance(address) <= upper.distance(address) ? lower : upper;
  }

  private static boolean isOf(Range range, int stream, boolean small) {
    return range.mappedBytes > 0 && range.run.stream() == stream && range.run.small() == small;
  }
}
