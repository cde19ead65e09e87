package org.allocsim.simulator.kvcache;

import org.allocsim.simulator.device.cost.DriverCosts;

/**
 * Driver calls of a cache and their time. A call that a step must wait for is apart from one that a
 * thread of the cache makes while the GPU computes.
 */
public final class DriverWork {
  private final DriverCosts costs;
  private long mapCalls;
  private long unmapCalls;
  private long nanos;
  private long waitedNanos;

  /** No calls yet; each will take the time that the costs give. */
  public DriverWork(DriverCosts costs) {
    this.costs = costs;
  }

  /** Physical memory is created, mapped and made accessible, in so many handles. */
  void createAndMap(long handles, long handleBytes, boolean isWaitedFor) {
    mapCalls += handles;
    add(costs.mappingNanos(handles * handleBytes, handleBytes), isWaitedFor);
  }

  /** Handles that exist are mapped and made accessible, one by one. */
  void map(long handles, long handleBytes, boolean isWaitedFor) {
    long pages = Math.max(1, handleBytes / DriverCosts.PAGE_BYTES);
    mapCalls += handles;
    add(
        handles * (costs.handles().mapNanos(pages) + costs.handles().setAccessNanos(1, pages)),
        isWaitedFor);
  }

  /** Handles are unmapped and kept. */
  void unmap(long handles, long handleBytes, boolean isWaitedFor) {
    unmapCalls += handles;
    long pages = Math.max(1, handleBytes / DriverCosts.PAGE_BYTES);
    add(handles * costs.handles().unmapNanos(pages), isWaitedFor);
  }

  /** Physical memory is unmapped and given back, in so many handles. */
  void unmapAndRelease(long handles, long handleBytes, boolean isWaitedFor) {
    unmapCalls += handles;
    add(costs.unmappingNanos(handles * handleBytes, handleBytes), isWaitedFor);
  }

  private void add(long more, boolean isWaitedFor) {
    nanos += more;
    if (isWaitedFor) {
      waitedNanos += more;
    }
  }

  /** Handles that were mapped. */
  public long mapCalls() {
    return mapCalls;
  }

  /** Handles that were unmapped. */
  public long unmapCalls() {
    return unmapCalls;
  }

  /** Time of all calls. */
  public long nanos() {
    return nanos;
  }

  /** Time of the calls that steps waited for. */
  public long waitedNanos() {
    return waitedNanos;
  }
}
