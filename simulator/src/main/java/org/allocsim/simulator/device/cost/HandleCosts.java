package org.allocsim.simulator.device.cost;

/**
 * Host time of virtual memory calls in nanoseconds: a fixed time, and one for each page of the
 * memory concerned.
 *
 * @param createNanos {@code cuMemCreate} of one handle
 * @param createPageNanos more for each page of it
 * @param mapNanos {@code cuMemMap} of one handle
 * @param mapPageNanos more for each page of it
 * @param setAccessNanos {@code cuMemSetAccess}
 * @param setAccessLargeNanos more where the handles are larger than a page
 * @param setAccessHandleNanos more for each handle that it covers
 * @param setAccessPageNanos more for each page that it covers
 * @param unmapNanos {@code cuMemUnmap} of one handle
 * @param unmapPageNanos more for each page of it
 * @param releaseNanos {@code cuMemRelease} of one handle
 * @param releasePageNanos more for each page of it
 * @param reserveNanos {@code cuMemAddressReserve}
 * @param unreserveNanos {@code cuMemAddressFree}
 */
public record HandleCosts(
    long createNanos,
    long createPageNanos,
    long mapNanos,
    long mapPageNanos,
    long setAccessNanos,
    long setAccessLargeNanos,
    long setAccessHandleNanos,
    long setAccessPageNanos,
    long unmapNanos,
    long unmapPageNanos,
    long releaseNanos,
    long releasePageNanos,
    long reserveNanos,
    long unreserveNanos) {

  /** H100: as timed for handles of 20 MiB; address ranges were not timed. */
  public static final HandleCosts H100 =
      new HandleCosts(27_500, 0, 12_000, 0, 0, 0, 50_000, 0, 30_000, 0, 28_000, 0, 5_000, 5_000);

  /** Every call takes no time. */
  public static final HandleCosts NONE = new HandleCosts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** Time of one {@code cuMemCreate}. */
  public long createNanos(long pages) {
    return createNanos + pages * createPageNanos;
  }

  /** Time of one {@code cuMemMap}. */
  public long mapNanos(long pages) {
    return mapNanos + pages * mapPageNanos;
  }

  /** Time of one {@code cuMemSetAccess} that covers some handles with so many pages in all. */
  public long setAccessNanos(long handles, long pages) {
    return setAccessNanos
        + (pages > handles ? setAccessLargeNanos : 0)
        + handles * setAccessHandleNanos
        + pages * setAccessPageNanos;
  }

  /** Time of one {@code cuMemUnmap}. */
  public long unmapNanos(long pages) {
    return unmapNanos + pages * unmapPageNanos;
  }

  /** Time of one {@code cuMemRelease}. */
  public long releaseNanos(long pages) {
    return releaseNanos + pages * releasePageNanos;
  }
}
