package org.allocsim.simulator.device.simulated;

import java.util.Optional;
import java.util.function.LongSupplier;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.HandleMemory;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.simulator.device.cost.DriverMeter;
import org.allocsim.simulator.device.cost.HandleCosts;

/**
 * A device that behaves as the CUDA driver does in recordings: which addresses calls return, how
 * many bytes stay free, which calls fail, how long calls take. The rules come from recordings of
 * driver 580 (CUDA 13.0) on H100 and H200; see {@link RawHeap} for {@code cuMemAlloc}, {@link
 * AddressRanges} for virtual memory and {@link AsyncPool} for {@code cuMemAllocAsync}. All draw on
 * the same free bytes. If too few are free for a request outside the pool, the pool releases its
 * idle memory; if that is not enough either, the request fails (driver 580 on H200, for {@code
 * cuMemAlloc} and {@code cuMemCreate} alike).
 *
 * <p>Calls that the driver would answer with an error other than out of memory (an unknown address,
 * a size that is not a multiple of the page) end in an {@link IllegalArgumentException}.
 */
public final class SimulatedDevice implements DeviceMemory {
  private final DeviceProfile profile;
  private final DriverCosts costs;
  private final RawHeap heap;
  private final AddressRanges ranges;
  private final AsyncPool pool;
  private final SimulatedHandles handleMemory;
  private final DriverMeter meter = new DriverMeter();
  private final LongSupplier otherBytes;
  private long mappedBytes;
  private long collectivesBytes;
  private int streams;

  /** Index of the current allocation request of the program. */
  private long request = -1;

  /** Changes of the history that have happened. */
  private int changes;

  /** A fresh process on a device of this profile that no other process uses. */
  public SimulatedDevice(DeviceProfile profile) {
    this(profile, () -> 0);
  }

  /**
   * A fresh process on a device that other processes also use. Each has its own addresses, pages
   * and pool; they share the free bytes. No call of one makes the pool of another release its idle
   * memory.
   *
   * @param otherBytes what the other processes hold at the moment, with their contexts
   */
  public SimulatedDevice(DeviceProfile profile, LongSupplier otherBytes) {
    this.profile = profile;
    this.otherBytes = otherBytes;
    costs = profile.costs();
    heap = new RawHeap(profile);
    ranges = new AddressRanges(heap, profile.pageBytes());
    handleMemory = new SimulatedHandles(profile, meter, ranges, this::usableBytesFor);
    pool = new AsyncPool(ranges, profile.totalBytes(), this::usableBytes, meter, costs.async());
  }

  /** The profile that the device follows. */
  public DeviceProfile profile() {
    return profile;
  }

  /** Calls of one kind so far. */
  public long driverCalls(DriverCall call) {
    return meter.calls(call);
  }

  /** Calls of all kinds so far. */
  public long driverCalls() {
    return meter.calls();
  }

  /** A number that rises whenever a call or new streams may have taken memory. */
  public long changes() {
    return meter.changes() + streams + collectivesBytes;
  }

  /** Time that the calls of one kind so far took in nanoseconds. */
  public long driverNanos(DriverCall call) {
    return meter.nanos(call);
  }

  /** Start of the driver's address reservation around a live segment, or of the arena. */
  public long reservationStart(long address) {
    return heap.reservationStart(address);
  }

  /** Time of all calls so far in nanoseconds, without waits for the device. */
  public long driverNanos() {
    return meter.nanos();
  }

  /**
   * The program created streams in addition to the default one: every second one takes a page
   * permanently, placed like a block. Two and three streams were recorded with bare driver calls;
   * PyTorch 2.11 makes 32 when a program first asks for one, and its later segments lie as if 16
   * pages were taken.
   */
  public void createStreams(int count) {
    int pages = (streams + count) / 2 - streams / 2;
    streams += count;
    for (int i = 0; i < pages && usableBytes() >= profile.pageBytes(); i++) {
      heap.takePageForever();
    }
  }

  /**
   * Kernels run from now on: the driver replaces the local memory of the bare context (207 pages)
   * by a larger block (252 pages), so that the address space close to the arena becomes free, as
   * recorded in PyTorch 2.11 processes on H100 and H200. Free bytes stay as they are.
   */
  public void runKernels() {
    heap.growLocalMemory();
  }

  /**
   * The driver or a library takes memory for itself: address space is used, free bytes stay as they
   * are.
   *
   * @param pages number of pages of one block, at least 1
   */
  public void takeHiddenPages(int pages) {
    heap.takeHiddenPages(pages * profile.pageBytes());
  }

  /**
   * What the process's library for collectives (NCCL) holds in handles of its own, whose addresses
   * lie apart from segments. If less is free, it takes the pages that are left, so the allocator's
   * next call fails; a real program would end immediately.
   *
   * @param bytes its total from now on, in whole pages, at least as much as before
   */
  public void holdForCollectives(long bytes) {
    long maxBytes = collectivesBytes + Math.max(0, usableBytes() & -profile.pageBytes());
    collectivesBytes = Math.min(bytes, maxBytes);
  }

  /** What the library for collectives holds, in bytes. */
  public long collectivesBytes() {
    return collectivesBytes;
  }

  /** Others take what is left of the address space that the bare context's local memory had. */
  public void fillLocalMemory() {
    heap.fillLocalMemory();
  }

  /**
   * The program comes to an allocation request: the profile's history up to it happens once a
   * segment is given.
   *
   * @param request its number, counted from 0; numbers must not fall
   */
  public void advanceTo(long request) {
    this.request = request;
  }

  private void followHistory() {
    AddressHistory history = profile.history();
    while (changes < history.count() && history.request(changes) <= request) {
      heap.apply(
          history.change(changes),
          profile.arenaAddress() + history.offsetBytes(changes),
          history.bytes(changes));
      changes++;
    }
  }

  @Override
  public long allocate(long bytes) {
    requirePositive(bytes);
    if (bytes <= usableBytes()) {
      followHistory();
    }
    long takenBefore = heap.takenBytes();
    int reservationsBefore = heap.reservationsMade();
    long address = heap.allocate(bytes, usableBytes());
    if (address == REFUSED && pool.releaseIdle()) {
      address = heap.allocate(bytes, usableBytes());
    }
    long pages = (heap.takenBytes() - takenBefore) / profile.pageBytes();
    long nanos;
    if (pages == 0) {
      nanos = costs.allocateSharedNanos();
    } else if (heap.reservationsMade() == reservationsBefore) {
      nanos = costs.allocateNanos() + pages * costs.allocatePageNanos();
    } else {
      nanos = costs.allocateReservingNanos() + pages * costs.allocateReservingPageNanos();
    }
    meter.count(DriverCall.ALLOCATE, 1, nanos);
    return address;
  }

  @Override
  public void free(long address, long bytes) {
    long takenBefore = heap.takenBytes();
    int returnedBefore = heap.reservationsReturned();
    heap.free(address, bytes);
    long pages = (takenBefore - heap.takenBytes()) / profile.pageBytes();
    long nanos;
    if (pages == 0) {
      nanos = costs.freeSharedNanos();
    } else if (heap.reservationsReturned() == returnedBefore) {
      nanos = costs.freeNanos() + pages * costs.freePageNanos();
    } else {
      nanos = costs.freeReservationNanos() + pages * costs.freeReservationPageNanos();
    }
    meter.count(DriverCall.FREE, 1, nanos);
  }

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    requirePositive(bytes);
    meter.count(DriverCall.ADDRESS_RESERVE, 1, costs.handles().reserveNanos());
    return ranges.reserve(bytes);
  }

  @Override
  public void unreserve(long address, long bytes) {
    ranges.unreserve(address, bytes);
    meter.count(DriverCall.ADDRESS_FREE, 1, costs.handles().unreserveNanos());
  }

  /**
   * {@inheritDoc}
   *
   * <p>{@code cuMemCreate} takes sizes that are multiples of the page only, so physical memory is
   * the mapped bytes (CUDA 13.0). If one of several handles cannot be created, those created before
   * it are released.
   */
  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    long handles = handles(bytes, pageBytes);
    long pages = pageBytes / profile.pageBytes();
    HandleCosts each = costs.handles();
    ranges.requireUnmapped(address, bytes);
    if (bytes > usableBytesFor(bytes)) {
      long made = Math.max(0, usableBytes()) / pageBytes;
      meter.count(DriverCall.CREATE, made + 1, each.createNanos(pages));
      meter.count(DriverCall.RELEASE, made, each.releaseNanos(pages));
      return false;
    }
    ranges.map(address, bytes);
    mappedBytes += bytes;
    meter.count(DriverCall.CREATE, handles, each.createNanos(pages));
    meter.count(DriverCall.MAP, handles, each.mapNanos(pages));
    meter.count(DriverCall.SET_ACCESS, 1, each.setAccessNanos(handles, handles * pages));
    return true;
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {
    long handles = handles(bytes, pageBytes);
    ranges.unmap(address, bytes);
    mappedBytes -= bytes;
    long pages = pageBytes / profile.pageBytes();
    meter.count(DriverCall.UNMAP, handles, costs.handles().unmapNanos(pages));
    meter.count(DriverCall.RELEASE, handles, costs.handles().releaseNanos(pages));
  }

  @Override
  public Optional<HandleMemory> handleMemory() {
    return Optional.of(handleMemory);
  }

  @Override
  public Optional<StreamOrderedMemory> streamOrdered() {
    return Optional.of(pool);
  }

  @Override
  public long freeBytes() {
    return profile.capacityBytes() - takenBytes() - otherBytes.getAsLong();
  }

  /**
   * Memory that the process has taken from the device in addition to its context, in whole pages.
   */
  public long takenBytes() {
    return heap.takenBytes()
        + mappedBytes
        + handleMemory.takenBytes()
        + collectivesBytes
        + ranges.tableBytes()
        + pool.poolReservedBytes();
  }

  /** Free bytes that calls can have; negative where less is free than must stay. */
  private long usableBytes() {
    return freeBytes() - profile.unusableBytes();
  }

  /** Free bytes available to a call of this size, including what the pool can release. */
  private long usableBytesFor(long bytes) {
    if (bytes > usableBytes()) {
      pool.releaseIdle();
    }
    return usableBytes();
  }

  /**
   * What the program queues on a stream from now on does not finish until {@link #resumeStream}:
   * memory that is freed on it meanwhile is not known to be complete. Without this all work
   * finishes at once.
   */
  public void holdStream(int stream) {
    pool.holdStream(stream);
  }

  /** What is queued so far, as {@link #advanceStream} takes it. */
  public long queueClock() {
    return pool.clock();
  }

  /** What a held stream had queued up to a {@link #queueClock} has finished; it stays held. */
  public void advanceStream(int stream, long upTo) {
    pool.advanceStream(stream, upTo);
  }

  /** All that was queued on a held stream finishes. */
  public void resumeStream(int stream) {
    pool.resumeStream(stream);
  }

  @Override
  public long totalBytes() {
    return profile.totalBytes();
  }

  private long handles(long bytes, long pageBytes) {
    requirePositive(bytes);
    if (pageBytes <= 0 || pageBytes % profile.pageBytes() != 0) {
      throw new IllegalArgumentException(
          "handles of %d bytes are not a multiple of the device's page of %d bytes"
              .formatted(pageBytes, profile.pageBytes()));
    }
    if (bytes % pageBytes != 0) {
      throw new IllegalArgumentException(
          "%d bytes are not a multiple of the handle size of %d bytes".formatted(bytes, pageBytes));
    }
    return bytes / pageBytes;
  }

  private static void requirePositive(long bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("a size of " + bytes + " bytes is not positive");
    }
  }
}
