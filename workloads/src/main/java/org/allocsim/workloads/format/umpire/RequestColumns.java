package org.allocsim.workloads.format.umpire;

import java.util.Arrays;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;

/** Requests whose devices are numbered when all are known. */
final class RequestColumns {
  private static final int EMPTY_CACHE = -1;
  private static final long FREE = -1;
  private static final long STREAM = 0;

  private long[] times = new long[1024];
  private long[] bytes = new long[1024];
  private int[] allocations = new int[1024];
  private byte[] resources = new byte[1024];
  private byte[] resourceOfAllocation = new byte[1024];
  private int count;
  private int allocationCount;

  int allocate(long timeNanos, int resource, long requestedBytes) {
    if (allocationCount == resourceOfAllocation.length) {
      resourceOfAllocation = Arrays.copyOf(resourceOfAllocation, grown(allocationCount));
    }
    resourceOfAllocation[allocationCount] = (byte) resource;
    append(timeNanos, requestedBytes, allocationCount, resource);
    return allocationCount++;
  }

  void free(long timeNanos, int allocation) {
    append(timeNanos, FREE, allocation, resourceOfAllocation[allocation]);
  }

  void emptyCache(long timeNanos, int resource) {
    append(timeNanos, FREE, EMPTY_CACHE, resource);
  }

  private void append(long timeNanos, long value, int allocation, int resource) {
    if (count == times.length) {
      int capacity = grown(count);
      times = Arrays.copyOf(times, capacity);
      bytes = Arrays.copyOf(bytes, capacity);
      allocations = Arrays.copyOf(allocations, capacity);
      resources = Arrays.copyOf(resources, capacity);
    }
    times[count] = timeNanos;
    bytes[count] = value;
    allocations[count] = allocation;
    resources[count++] = (byte) resource;
  }

  private static int grown(int length) {
    return Math.addExact(length, length >> 1);
  }

  /**
   * The trace.
   *
   * @param devices device index by resource number
   */
  AllocationTrace build(int[] devices) {
    AllocationTrace.Builder trace = new AllocationTrace.Builder().ofPyTorch(false);
    for (int i = 0; i < count; i++) {
      trace.at(devices[resources[i]], times[i], 0);
      if (allocations[i] == EMPTY_CACHE) {
        trace.emptyCache();
      } else if (bytes[i] == FREE) {
        trace.free(allocations[i]);
      } else {
        trace.allocate(bytes[i], STREAM, PoolId.DEFAULT);
      }
    }
    return trace.build(new StackTable.Builder().build());
  }
}
