package org.allocsim.workloads.format.umpire;

import org.allocsim.simulator.column.IntColumn;
import org.allocsim.simulator.column.LongColumn;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;

/** Requests whose devices are numbered when all are known. */
final class RequestColumns {
  private static final int EMPTY_CACHE = -1;
  private static final long FREE = -1;
  private static final long STREAM = 0;

  private final LongColumn times = new LongColumn();
  private final LongColumn bytes = new LongColumn();
  private final IntColumn allocations = new IntColumn();
  private final IntColumn resources = new IntColumn();
  private final IntColumn resourceOfAllocation = new IntColumn();

  int allocate(long timeNanos, int resource, long requestedBytes) {
    int allocation = resourceOfAllocation.count();
    resourceOfAllocation.add(resource);
    append(timeNanos, requestedBytes, allocation, resource);
    return allocation;
  }

  void free(long timeNanos, int allocation) {
    append(timeNanos, FREE, allocation, resourceOfAllocation.get(allocation));
  }

  void emptyCache(long timeNanos, int resource) {
    append(timeNanos, FREE, EMPTY_CACHE, resource);
  }

  private void append(long timeNanos, long value, int allocation, int resource) {
    times.add(timeNanos);
    bytes.add(value);
    allocations.add(allocation);
    resources.add(resource);
  }

  /**
   * The trace.
   *
   * @param devices device index by resource number
   */
  AllocationTrace build(int[] devices) {
    AllocationTrace.Builder trace = new AllocationTrace.Builder().ofPyTorch(false);
    for (int i = 0; i < times.count(); i++) {
      trace.at(devices[resources.get(i)], times.get(i), 0);
      if (allocations.get(i) == EMPTY_CACHE) {
        trace.emptyCache();
      } else if (bytes.get(i) == FREE) {
        trace.free(allocations.get(i));
      } else {
        trace.allocate(bytes.get(i), STREAM, PoolId.DEFAULT);
      }
    }
    return trace.build(new StackTable.Builder().build());
  }
}
