package org.allocsim.simulator.device.cost;

/**
 * Host time of driver calls in nanoseconds. {@code cuMemAlloc} and {@code cuMemFree} take a fixed
 * time and one for each page that they take or return; what matters most is whether they move pages
 * at all. The figures of the built-in profiles are fits to recorded calls (driver 580, CUDA 13.0);
 * processes differ by some 30 %.
 *
 * @param allocateSharedNanos {@code cuMemAlloc} that takes no page
 * @param allocateNanos {@code cuMemAlloc} that takes pages of an existing reservation
 * @param allocatePageNanos more for each such page
 * @param allocateReservingNanos {@code cuMemAlloc} that makes a reservation
 * @param allocateReservingPageNanos more for each page in it that the block takes
 * @param freeSharedNanos {@code cuMemFree} that returns no page
 * @param freeNanos {@code cuMemFree} that returns pages
 * @param freePageNanos more for each such page
 * @param freeReservationNanos {@code cuMemFree} that also gives back a reservation
 * @param freeReservationPageNanos more for each page then
 * @param synchronizeNanos a synchronisation that finds the device idle
 * @param handles virtual memory calls
 * @param async stream-ordered calls
 */
public record DriverCosts(
    long allocateSharedNanos,
    long allocateNanos,
    long allocatePageNanos,
    long allocateReservingNanos,
    long allocateReservingPageNanos,
    long freeSharedNanos,
    long freeNanos,
    long freePageNanos,
    long freeReservationNanos,
    long freeReservationPageNanos,
    long synchronizeNanos,
    HandleCosts handles,
    AsyncCosts async) {

  /** Page of device memory (driver 580, H100 and H200). */
  public static final long PAGE_BYTES = 2L << 20;

  /** H100: fits to 6 000 raw calls; virtual memory calls as timed for handles of 20 MiB. */
  public static final DriverCosts H100 =
      new DriverCosts(
          6_900,
          61_000,
          130,
          74_000,
          140, //
          7_000,
          55_000,
          900,
          66_000,
          840, //
          5_000,
          HandleCosts.H100,
          AsyncCosts.H100);

  /** Time of making and mapping physical memory in handles of a size: create, map, set access. */
  public long mappingNanos(long bytes, long handleBytes) {
    long count = bytes / handleBytes;
    long pages = handleBytes / PAGE_BYTES;
    return count * (handles.createNanos(pages) + handles.mapNanos(pages))
        + handles.setAccessNanos(count, count * pages);
  }

  /** Time of unmapping and releasing physical memory in handles of a size. */
  public long unmappingNanos(long bytes, long handleBytes) {
    long pages = handleBytes / PAGE_BYTES;
    return bytes / handleBytes * (handles.unmapNanos(pages) + handles.releaseNanos(pages));
  }

  /** Every call takes no time. */
  public static final DriverCosts NONE =
      new DriverCosts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, HandleCosts.NONE, AsyncCosts.NONE);
}
