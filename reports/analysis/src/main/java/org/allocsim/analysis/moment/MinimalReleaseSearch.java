package org.allocsim.analysis.moment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.moment.FitTrial.Minimum;
import org.allocsim.simulator.column.IntColumn;
import org.allocsim.simulator.column.LongColumn;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;

/**
 * Finds the blocks without which enough memory can be returned to the device, and that are the
 * fewest, or take the fewest bytes. What is returned are whole segments of the default pool and, of
 * expandable segments, whole pages; a block that lies on several pages counts once, however many of
 * them are returned.
 *
 * <p>No other set of fewer blocks, or of fewer bytes, has that effect: the search is a knapsack
 * over segments and pages, solved exactly by dynamic programming, in units of the largest size that
 * divides all of them. Where that would take more than {@value #MAX_CELLS} steps, the cheapest
 * segments and pages by bytes in use per byte returned are taken instead, and the answer says so.
 */
final class MinimalReleaseSearch {
  /** Bounds time (some seconds) and memory (a bit for each). */
  private static final long MAX_CELLS = 1L << 29;

  /** Makes one block weigh more than all bytes of a layout, which are below 2^43. */
  private static final long BLOCK_FIRST = 1L << 43;

  /** Makes one byte weigh more than all blocks of a layout, which are below 2^20. */
  private static final long BYTES_FIRST = 1L << 20;

  /** More than any set of blocks costs. */
  private static final long UNREACHABLE = Long.MAX_VALUE / 2;

  /**
   * What is to go.
   *
   * @param blocks numbers of the blocks in the layout, ascending
   * @param segments numbers of their segments in the layout, ascending
   * @param bytes what the blocks take
   * @param releasedBytes what is returned
   * @param minimum what no other set has less of, or {@code NOTHING}
   */
  record Plan(
      List<Integer> blocks,
      List<Integer> segments,
      long bytes,
      long releasedBytes,
      Minimum minimum) {
    Plan {
      blocks = List.copyOf(blocks);
      segments = List.copyOf(segments);
    }
  }

  /** Segments and pages that could be returned, in address order, as columns. */
  private static final class Items {
    final IntColumn segment = new IntColumn();
    final LongColumn bytes = new LongColumn();

    /** First and after the last block that lie on it at least partly. */
    final IntColumn first = new IntColumn();

    final IntColumn end = new IntColumn();

    void add(int inSegment, long size, int firstBlock, int endBlock) {
      segment.add(inSegment);
      bytes.add(size);
      first.add(firstBlock);
      end.add(endBlock);
    }
  }

  private final MemoryLayout layout;
  private final long largePageBytes;
  private final Items items = new Items();

  /** The layout of a moment; {@code largePageBytes} are those of the large pool's pages. */
  MinimalReleaseSearch(MemoryLayout layout, long largePageBytes) {
    this.layout = layout;
    this.largePageBytes = largePageBytes;
    for (int each = 0; each < layout.segmentCount(); each++) {
      if (layout.segmentPool(each) == 0) {
        if (layout.isExpandable(each)) {
          addPages(each);
        } else if (usedBytes(layout.firstBlock(each), layout.firstBlock(each + 1)) > 0) {
          items.add(
              each,
              layout.segmentBytes(each),
              layout.firstBlock(each),
              layout.firstBlock(each + 1));
        }
      }
    }
  }

  /** Pages that are partly in use; what is free as a whole needs no block to go. */
  private void addPages(int segment) {
    long page = SlackSplit.pageBytes(layout, segment, largePageBytes);
    long begin = layout.segmentAddress(segment);
    int block = layout.firstBlock(segment);
    int end = layout.firstBlock(segment + 1);
    for (long from = 0; from + page <= layout.segmentBytes(segment); from += page) {
      while (endOf(block) <= begin + from) {
        block++;
      }
      int last = block;
      while (last + 1 < end && layout.blockAddress(last + 1) < begin + from + page) {
        last++;
      }
      if (usedBytes(block, last + 1) > 0) {
        items.add(segment, page, block, last + 1);
      }
    }
  }

  private long endOf(int block) {
    return layout.blockAddress(block) + layout.blockBytes(block);
  }

  private long usedBytes(int block) {
    return layout.state(block) == BlockState.INACTIVE ? 0 : layout.blockBytes(block);
  }

  private long usedBytes(int from, int to) {
    long bytes = 0;
    for (int block = from; block < to; block++) {
      bytes += usedBytes(block);
    }
    return bytes;
  }

  /**
   * The best plan that returns at least so many bytes, above 0; empty where all is too little.
   *
   * @param minimum what it is to have the minimum of, {@code BYTES} or {@code BLOCKS}
   */
  Optional<Plan> find(long missingBytes, Minimum minimum) {
    return find(missingBytes, minimum, MAX_CELLS);
  }

  /** As above, with another bound. */
  Optional<Plan> find(long missingBytes, Minimum minimum, long maxCells) {
    long all = 0;
    long unit = 0;
    for (int item = 0; item < items.bytes.count(); item++) {
      all += items.bytes.get(item);
      unit = gcd(items.bytes.get(item), unit);
    }
    if (all < missingBytes) {
      return Optional.empty();
    }
    long wanted = (missingBytes + unit - 1) / unit;
    return 2 * (wanted + 1) <= maxCells / items.bytes.count()
        ? Optional.of(plan(exact(unit, (int) wanted, minimum), minimum))
        : Optional.of(plan(greedy(missingBytes, minimum), Minimum.NOTHING));
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /** Whether the last block of an item reaches into the next one. */
  private boolean reachesOn(int item) {
    return item + 1 < items.bytes.count()
        && items.segment.get(item) == items.segment.get(item + 1)
        && items.end.get(item) - 1 == items.first.get(item + 1)
        && usedBytes(items.first.get(item + 1)) > 0;
  }

  /**
   * Chosen items. {@code minimum[paid][units]} are the fewest bytes with which the items from one
   * on return so many units, where {@code paid} says whether the block that reaches into the first
   * of them goes anyway; it is worked out from the last item to the first, and the choices are
   * kept.
   */
  private boolean[] exact(long unit, int wanted, Minimum objective) {
    int width = wanted + 1;
    long[][] takes = new long[items.bytes.count()][2 * (width + Long.SIZE - 1) / Long.SIZE + 2];
    long[][] minimum = new long[2][width];
    for (long[] each : minimum) {
      Arrays.fill(each, UNREACHABLE);
      each[0] = 0;
    }
    for (int item = items.bytes.count() - 1; item >= 0; item--) {
      int weight = (int) Math.min(wanted, items.bytes.get(item) / unit);
      long[][] next = minimum;
      minimum = new long[2][width];
      for (int paid = 0; paid < 2; paid++) {
        long cost = cost(item, paid == 1, objective);
        int skipped = paidAfter(item, paid == 1, false);
        int taken = paidAfter(item, paid == 1, true);
        for (int units = 0; units < width; units++) {
          long without = next[skipped][units];
          long with = cost + next[taken][Math.max(0, units - weight)];
          boolean better = units > 0 && with < without;
          minimum[paid][units] = better ? with : without;
          if (better) {
            int bit = paid * width + units;
            takes[item][bit >> 6] |= 1L << bit;
          }
        }
      }
    }
    boolean[] chosen = new boolean[items.bytes.count()];
    int units = wanted;
    int paid = 0;
    for (int item = 0; item < items.bytes.count(); item++) {
      int bit = paid * width + units;
      chosen[item] = (takes[item][bit >> 6] & 1L << bit) != 0;
      paid = paidAfter(item, paid == 1, chosen[item]);
      if (chosen[item]) {
        units = (int) Math.max(0, units - items.bytes.get(item) / unit);
      }
    }
    return chosen;
  }

  /** Cost of the blocks that must go for an item, but for one that goes anyway. */
  private long cost(int item, boolean paid, Minimum objective) {
    long cost = 0;
    for (int block = items.first.get(item); block < items.end.get(item); block++) {
      long bytes = usedBytes(block);
      if (bytes > 0 && !(paid && block == items.first.get(item))) {
        cost += objective == Minimum.BLOCKS ? BLOCK_FIRST + bytes : bytes * BYTES_FIRST + 1;
      }
    }
    return cost;
  }

  /** Whether the block that reaches into the next item goes: 1 or 0. */
  private int paidAfter(int item, boolean paid, boolean taken) {
    if (!reachesOn(item)) {
      return 0;
    }
    boolean sameBlock = items.first.get(item) == items.end.get(item) - 1;
    return taken || (sameBlock && paid && item > 0 && reachesOn(item - 1)) ? 1 : 0;
  }

  private boolean[] greedy(long missingBytes, Minimum objective) {
    Integer[] order = new Integer[items.bytes.count()];
    Arrays.setAll(order, item -> item);
    Arrays.sort(
        order,
        (a, b) ->
            Double.compare(
                (double) cost(a, false, objective) / items.bytes.get(a),
                (double) cost(b, false, objective) / items.bytes.get(b)));
    boolean[] chosen = new boolean[items.bytes.count()];
    long released = 0;
    for (int item : order) {
      if (released >= missingBytes) {
        break;
      }
      chosen[item] = true;
      released += items.bytes.get(item);
    }
    // What later ones made needless goes again, the most bytes in use first.
    Arrays.sort(
        order, (a, b) -> Long.compare(cost(b, false, objective), cost(a, false, objective)));
    for (int item : order) {
      if (chosen[item] && released - items.bytes.get(item) >= missingBytes) {
        chosen[item] = false;
        released -= items.bytes.get(item);
      }
    }
    return chosen;
  }

  private Plan plan(boolean[] chosen, Minimum minimum) {
    List<Integer> blocks = new ArrayList<>();
    List<Integer> segments = new ArrayList<>();
    long released = 0;
    long bytes = 0;
    int next = 0;
    for (int item = 0; item < items.bytes.count(); item++) {
      if (!chosen[item]) {
        continue;
      }
      released += items.bytes.get(item);
      if (segments.isEmpty() || !segments.getLast().equals(items.segment.get(item))) {
        segments.add(items.segment.get(item));
      }
      for (int block = Math.max(next, items.first.get(item));
          block < items.end.get(item);
          block++) {
        if (usedBytes(block) > 0) {
          blocks.add(block);
          bytes += usedBytes(block);
        }
      }
      next = items.end.get(item);
    }
    return new Plan(blocks, segments, bytes, released, minimum);
  }
}
