package org.allocsim.simulator.stats;

import java.util.SortedMap;
import java.util.TreeMap;
import org.allocsim.simulator.effect.HostMemoryListener;

/**
 * The 18 counters of {@code torch.cuda.host_memory_stats()} that do not measure time (PyTorch
 * 2.11), its two defects included: a block that returns after a copy adds one byte to the active
 * bytes instead of removing its size, and a block that no copy used is never subtracted at all.
 */
public final class HostMemoryStats implements HostMemoryListener {
  private static final int SIZE_CLASSES = 64;
  private static final String[] FIELDS = {"allocated", "current", "freed", "peak"};

  private final Stat allocations = new Stat();
  private final Stat allocatedBytes = new Stat();
  private final Stat[] activeRequests = newStats();
  private final Stat[] activeBytes = newStats();
  private long hostAllocations;
  private long hostFrees;

  private static Stat[] newStats() {
    Stat[] stats = new Stat[SIZE_CLASSES];
    for (int i = 0; i < SIZE_CLASSES; i++) {
      stats[i] = new Stat();
    }
    return stats;
  }

  @Override
  public void blockObtained(long bytes) {
    allocations.increase(1);
    allocatedBytes.increase(bytes);
    hostAllocations++;
  }

  @Override
  public void blockReleased(long bytes) {
    allocations.decrease(1);
    allocatedBytes.decrease(bytes);
    hostFrees++;
  }

  @Override
  public void handedOut(int sizeClass, long bytes) {
    activeRequests[sizeClass].increase(1);
    activeBytes[sizeClass].increase(bytes);
  }

  @Override
  public void returnedAfterUse(int sizeClass) {
    activeRequests[sizeClass].decrease(1);
    activeBytes[sizeClass].decrease(-1);
  }

  /** All counters by key; peaks of the active pair are sums of the peaks of the size classes. */
  public SortedMap<String, Long> toMap() {
    SortedMap<String, Long> map = new TreeMap<>();
    for (String field : FIELDS) {
      map.put("allocations." + field, allocations.field(field));
      map.put("allocated_bytes." + field, allocatedBytes.field(field));
      map.put("active_requests." + field, sum(activeRequests, field));
      map.put("active_bytes." + field, sum(activeBytes, field));
    }
    map.put("num_host_alloc", hostAllocations);
    map.put("num_host_free", hostFrees);
    return map;
  }

  private static long sum(Stat[] stats, String field) {
    long sum = 0;
    for (Stat stat : stats) {
      sum += stat.field(field);
    }
    return sum;
  }
}
