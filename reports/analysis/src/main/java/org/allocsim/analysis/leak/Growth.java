package org.allocsim.analysis.leak;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * What makes up the difference between the live sets at the quietest moments of two iterations, by
 * size and by stack. Every grouping sums to the difference, to the byte.
 *
 * @param from iteration of the earlier moment
 * @param to iteration of the later moment
 * @param bytes the difference, in whole blocks
 * @param bySize by requested bytes
 * @param byRange by requested bytes rounded up to a power of two
 * @param byStack by stack of the allocation
 */
public record Growth(
    int from, int to, long bytes, List<Group> bySize, List<Group> byRange, List<Group> byStack) {
  /**
   * One size, range of sizes, or stack.
   *
   * @param key the size, the top of the range, or the stack's number
   * @param blocks blocks gained, net
   * @param bytes bytes gained, net
   * @param iterations in how many iterations after {@code from} at least one block was allocated
   *     that is still live at {@code to}
   */
  public record Group(long key, long blocks, long bytes, int iterations) {}

  /** Keeps its own copies. */
  public Growth {
    bySize = List.copyOf(bySize);
    byRange = List.copyOf(byRange);
    byStack = List.copyOf(byStack);
  }

  /** Iterations in which something can have grown. */
  public int span() {
    return to - from;
  }

  static Growth between(
      AllocationTrace trace, int device, IterationSampler sampler, int from, int to) {
    int early = sampler.floorEvent(from);
    int late = sampler.floorEvent(to);
    // Bit 0: live at the earlier moment; bit 1: at the later one.
    byte[] live = new byte[trace.allocationCount()];
    int[] rows = new int[trace.allocationCount()];
    for (int event = 0; event <= late; event++) {
      if (trace.device(event) == device) {
        RequestKind kind = trace.kind(event);
        int allocation = trace.allocation(event);
        if (kind == RequestKind.ALLOCATE || kind == RequestKind.RESTORE_BLOCK) {
          live[allocation] = (byte) (event <= early ? 3 : 2);
          rows[allocation] = event;
        } else if (kind == RequestKind.FREE) {
          live[allocation] = (byte) (event <= early ? 0 : live[allocation] & 1);
        }
      }
    }
    Grouping sizes = new Grouping(allocation -> trace.bytes(rows[allocation]));
    Grouping ranges = new Grouping(allocation -> rangeTop(trace.bytes(rows[allocation])));
    Grouping stacks = new Grouping(allocation -> trace.stack(rows[allocation]));
    long total = 0;
    for (int allocation = 0; allocation < live.length; allocation++) {
      if (live[allocation] == 1 || live[allocation] == 2) {
        int sign = live[allocation] == 2 ? 1 : -1;
        long bytes = sampler.blockBytes(allocation);
        if (bytes == 0) {
          continue;
        }
        int iteration = sign > 0 ? sampler.iterations().iterationOf(rows[allocation]) : -1;
        sizes.add(allocation, sign, bytes, iteration);
        ranges.add(allocation, sign, bytes, iteration);
        stacks.add(allocation, sign, bytes, iteration);
        total += sign * bytes;
      }
    }
    return new Growth(from, to, total, sizes.groups(), ranges.groups(), stacks.groups());
  }

  private static long rangeTop(long bytes) {
    return bytes <= 1 ? bytes : Long.highestOneBit(bytes - 1) << 1;
  }

  private static final class Grouping {
    private final IntToLongFunction key;
    private final Map<Long, Sum> sums = new HashMap<>();

    Grouping(IntToLongFunction key) {
      this.key = key;
    }

    void add(int allocation, int sign, long bytes, int iteration) {
      Sum sum = sums.computeIfAbsent(key.applyAsLong(allocation), _ -> new Sum());
      sum.blocks += sign;
      sum.bytes += sign * bytes;
      if (iteration >= 0) {
        sum.iterations.set(iteration);
      }
    }

    List<Group> groups() {
      List<Group> groups = new ArrayList<>();
      for (Map.Entry<Long, Sum> each : sums.entrySet()) {
        Sum sum = each.getValue();
        if (sum.blocks != 0 || sum.bytes != 0) {
          groups.add(new Group(each.getKey(), sum.blocks, sum.bytes, sum.iterations.cardinality()));
        }
      }
      groups.sort(Comparator.comparingLong(Group::bytes).reversed().thenComparingLong(Group::key));
      return groups;
    }
  }

  private static final class Sum {
    long blocks;
    long bytes;
    final BitSet iterations = new BitSet();
  }
}
