package org.allocsim.analysis.serving.kvcache;

import org.allocsim.simulator.device.cost.DriverCosts;

/**
 * Driver calls of a cache and their time. A call that a step must wait for is apart from one that a
 * thread of the cache makes while the GPU computes.
 */
public final class DriverWork {
  private final DriverCosts costs;
  private final CacheCalls calls;
  private long mapCalls;
  private long unmapCalls;
  private long nanos;
  private long waitedNanos;

  /** No calls yet; each will take the time that the costs give. */
  public DriverWork(DriverCosts costs) {
    this(costs, CacheCalls.NONE);
  }

  /**
   * No calls yet; each will take the time that the costs give.
   *
   * @param calls hears of each
   */
  public DriverWork(DriverCosts costs, CacheCalls calls) {
    this.costs = costs;
    this.calls = calls;
  }

  /** A handle of the first range is created, mapped and made accessible. */
  void createAndMap(long offsetBytes, long handleBytes, boolean isWaitedFor) {
    mapCalls++;
    add(costs.mappingNanos(handleBytes, handleBytes), isWaitedFor);
    calls.map(0, 1, offsetBytes);
  }

  /** Handles that exist are mapped and made accessible, one in each of some ranges. */
  void map(int firstRange, int ranges, long offsetBytes, long handleBytes, boolean isWaitedFor) {
    long pages = Math.max(1, handleBytes / DriverCosts.PAGE_BYTES);
    mapCalls += ranges;
    add(
        ranges * (costs.handles().mapNanos(pages) + costs.handles().setAccessNanos(1, pages)),
        isWaitedFor);
    calls.map(firstRange, ranges, offsetBytes);
  }

  /** Handles are unmapped and kept, one in each of some ranges. */
  void unmap(int firstRange, int ranges, long offsetBytes, long handleBytes, boolean isWaitedFor) {
    unmapCalls += ranges;
    long pages = Math.max(1, handleBytes / DriverCosts.PAGE_BYTES);
    add(ranges * costs.handles().unmapNanos(pages), isWaitedFor);
    calls.unmap(firstRange, ranges, offsetBytes);
  }

  /** A handle of the first range is unmapped and given back. */
  void unmapAndRelease(long offsetBytes, long handleBytes, boolean isWaitedFor) {
    unmapCalls++;
    add(costs.unmappingNanos(handleBytes, handleBytes), isWaitedFor);
    calls.unmap(0, 1, offsetBytes);
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
