package org.allocsim.workloads.format.minimalloc;

import java.util.Arrays;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.TimeOrder;

/** Lifetimes and sizes in the order of a file. */
final class Lifetimes {
  /** Maximum number of lifetimes whose allocations and frees a trace can hold. */
  static final int MOST = 1 << 29;

  /** Bytes that a lifetime takes here, and its two rows in the trace. */
  static final int BYTES = 150;

  private int count;
  private long[] begins = new long[256];
  private long[] ends = new long[256];
  private long[] bytes = new long[256];

  int count() {
    return count;
  }

  /** Adds a lifetime that ends after it begins. */
  void add(long begin, long end, long size) {
    if (count == bytes.length) {
      int capacity = Math.min(MOST, count * 2);
      begins = Arrays.copyOf(begins, capacity);
      ends = Arrays.copyOf(ends, capacity);
      bytes = Arrays.copyOf(bytes, capacity);
    }
    begins[count] = begin;
    ends[count] = end;
    bytes[count] = size;
    count++;
  }

  /** Allocations and frees by time, at the same time frees first, then in the file's order. */
  AllocationTrace toTrace() {
    int[] byBegin = TimeOrder.of(begins, count);
    int[] byEnd = TimeOrder.of(ends, count);
    int[] allocations = new int[count];
    AllocationTrace.Builder trace = new AllocationTrace.Builder().ofPyTorch(false);
    int freed = 0;
    for (int row : byBegin) {
      while (ends[byEnd[freed]] <= begins[row]) {
        free(trace, byEnd[freed++], allocations);
      }
      trace.at(0, begins[row], StackTable.NONE);
      allocations[row] = trace.allocate(bytes[row], 0, PoolId.DEFAULT);
    }
    while (freed < count) {
      free(trace, byEnd[freed++], allocations);
    }
    return trace.build(new StackTable.Builder().build());
  }

  private void free(AllocationTrace.Builder trace, int row, int[] allocations) {
    trace.at(0, ends[row], StackTable.NONE);
    trace.free(allocations[row]);
  }
}
