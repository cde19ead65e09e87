package org.allocsim.workloads.format.minimalloc;

import org.allocsim.simulator.column.LongColumn;
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

  private final LongColumn begins = new LongColumn();
  private final LongColumn ends = new LongColumn();
  private final LongColumn bytes = new LongColumn();

  int count() {
    return bytes.count();
  }

  /** Adds a lifetime that ends after it begins. */
  void add(long begin, long end, long size) {
    begins.add(begin);
    ends.add(end);
    bytes.add(size);
  }

  /** Allocations and frees by time, at the same time frees first, then in the file's order. */
  AllocationTrace toTrace() {
    int count = count();
    int[] byBegin = TimeOrder.of(begins.toArray(), count);
    int[] byEnd = TimeOrder.of(ends.toArray(), count);
    int[] allocations = new int[count];
    AllocationTrace.Builder trace = new AllocationTrace.Builder().ofPyTorch(false);
    int freed = 0;
    for (int row : byBegin) {
      while (ends.get(byEnd[freed]) <= begins.get(row)) {
        free(trace, byEnd[freed++], allocations);
      }
      trace.at(0, begins.get(row), StackTable.NONE);
      allocations[row] = trace.allocate(bytes.get(row), 0, PoolId.DEFAULT);
    }
    while (freed < count) {
      free(trace, byEnd[freed++], allocations);
    }
    return trace.build(new StackTable.Builder().build());
  }

  private void free(AllocationTrace.Builder trace, int row, int[] allocations) {
    trace.at(0, ends.get(row), StackTable.NONE);
    trace.free(allocations[row]);
  }
}
