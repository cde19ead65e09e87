package org.allocsim.simulator.device;

/**
 * A device that behaves as the CUDA driver was seen to behave: which addresses calls return, how
 * many bytes stay free, which calls are refused, how long calls take. The rules come from
 * recordings of driver 580 (CUDA 13.0) on H100 and H200; see {@link RawHeap} for {@code cuMemAlloc}
 * and {@link AddressRanges} for virtual memory. Both draw on the same free bytes.
 *
 * <p>Calls that the driver would answer with an error other than out of memory (an unknown address,
 * a size that is no multiple of the page) end in an {@link IllegalArgumentException}.
 */
public final class SimulatedDevice implements DeviceMemory {
  private static final DriverCall[] CALLS = DriverCall.values();

  private final DeviceProfile profile;
  private final DriverCosts costs;
  private final RawHeap heap;
  private final AddressRanges ranges;
  private final PhysicalHandles handles = new PhysicalHandles();
  private final long[] calls = new long[CALLS.length];
  private long mappedBytes;
  private int streams;
  private long driverNanos;

  /** A fresh process on a device of this profile that nobody else uses. */
  public SimulatedDevice(DeviceProfile profile) {
    this.profile = profile;
    costs = profile.costs();
    heap = new RawHeap(profile);
    ranges = new AddressRanges(profile.rangeAddress(), profile.reservationBytes());
  }

  /** The profile that the device follows. */
  public DeviceProfile profile() {
    return profile;
  }

  /** Calls of one kind so far. */
  public long driverCalls(DriverCall call) {
    return calls[call.ordinal()];
  }

  /** Calls of all kinds so far. */
  public long driverCalls() {
    long sum = 0;
    for (long count : calls) {
      sum += count;
    }
    return sum;
  }

  /** Time that all calls so far took in nanoseconds; the waiting for the device is not in it. */
  public long driverNanos() {
    return driverNanos;
  }

  /**
   * The program created streams beside the default one: every second one takes a page for good,
   * placed like a block. Two and three streams were recorded with bare driver calls; PyTorch 2.11
   * makes 32 when a program first asks for one, and its later segments lie as if 16 pages were
   * taken.
   */
  public void createStreams(int count) {
    int pages = (streams + count) / 2 - streams / 2;
    streams += count;
    for (int i = 0; i < pages && freeBytes() >= profile.pageBytes(); i++) {
      heap.takePageForever();
    }
  }

  @Override
  public long allocate(long bytes) {
    requirePositive(bytes);
    long takenBefore = heap.takenBytes();
    int reservationsBefore = heap.reservationsMade();
    long address = heap.allocate(bytes, freeBytes());
    long pages = (heap.takenBytes() - takenBefore) / profile.pageBytes();
    long nanos;
    if (pages == 0) {
      nanos = costs.allocateSharedNanos();
    } else if (heap.reservationsMade() == reservationsBefore) {
      nanos = costs.allocateNanos() + pages * costs.allocatePageNanos();
    } else {
      nanos = costs.allocateReservingNanos() + pages * costs.allocateReservingPageNanos();
    }
    count(DriverCall.ALLOCATE, 1, nanos);
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
    count(DriverCall.FREE, 1, nanos);
  }

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    requirePositive(bytes);
    count(DriverCall.ADDRESS_RESERVE, 1, costs.reserveNanos());
    return ranges.reserve(bytes);
  }

  @Override
  public void unreserve(long address, long bytes) {
    ranges.unreserve(address, bytes);
    count(DriverCall.ADDRESS_FREE, 1, costs.reserveNanos());
  }

  /**
   * {@inheritDoc}
   *
   * <p>{@code cuMemCreate} takes sizes that are multiples of the page only, so physical memory is
   * the mapped bytes (CUDA 13.0). Handles made before a refusal are released again.
   */
  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    long handleCount = handleCount(bytes, pageBytes);
    ranges.requireUnmapped(address, bytes);
    if (bytes > freeBytes()) {
      long made = freeBytes() / pageBytes;
      count(DriverCall.CREATE, made + 1, costs.createNanos());
      count(DriverCall.RELEASE, made, costs.releaseNanos());
      return false;
    }
    ranges.map(address, bytes);
    mappedBytes += bytes;
    count(DriverCall.CREATE, handleCount, costs.createNanos());
    count(DriverCall.MAP, handleCount, costs.mapNanos());
    count(DriverCall.SET_ACCESS, 1, handleCount * costs.setAccessNanos());
    return true;
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {
    long handleCount = handleCount(bytes, pageBytes);
    ranges.unmap(address, bytes);
    mappedBytes -= bytes;
    count(DriverCall.UNMAP, handleCount, costs.unmapNanos());
    count(DriverCall.RELEASE, handleCount, costs.releaseNanos());
  }

  @Override
  public boolean createHandles(long[] created, int from, int count, long handleBytes) {
    long bytes = handlesBytes(count, handleBytes);
    if (bytes > freeBytes()) {
      long made = freeBytes() / handleBytes;
      count(DriverCall.CREATE, made + 1, costs.createNanos());
      count(DriverCall.RELEASE, made, costs.releaseNanos());
      return false;
    }
    for (int i = from; i < from + count; i++) {
      created[i] = handles.create(handleBytes);
    }
    count(DriverCall.CREATE, count, costs.createNanos());
    return true;
  }

  @Override
  public void mapHandles(long address, long[] mapped, int from, int count, long handleBytes) {
    long bytes = handlesBytes(count, handleBytes);
    ranges.requireUnmapped(address, bytes);
    handles.requireHeld(mapped, from, count, handleBytes);
    ranges.map(address, bytes);
    handles.map(address, mapped, from, count, handleBytes);
    count(DriverCall.MAP, count, costs.mapNanos());
    count(DriverCall.SET_ACCESS, count, costs.setAccessNanos());
  }

  @Override
  public void unmapHandles(long address, long[] mapped, int from, int count, long handleBytes) {
    long bytes = handlesBytes(count, handleBytes);
    handles.requireMapped(address, mapped, from, count, handleBytes);
    ranges.unmap(address, bytes);
    handles.unmap(address, mapped, from, count, handleBytes);
    count(DriverCall.UNMAP, count, costs.unmapNanos());
  }

  @Override
  public void releaseHandles(long[] released, int from, int count, long handleBytes) {
    handlesBytes(count, handleBytes);
    handles.requireHeld(released, from, count, handleBytes);
    handles.release(released, from, count);
    count(DriverCall.RELEASE, count, costs.releaseNanos());
  }

  @Override
  public long freeBytes() {
    return profile.capacityBytes() - heap.takenBytes() - mappedBytes - handles.takenBytes();
  }

  @Override
  public long totalBytes() {
    return profile.totalBytes();
  }

  private void count(DriverCall call, long times, long nanosEach) {
    calls[call.ordinal()] += times;
    driverNanos += times * nanosEach;
  }

  private long handleCount(long bytes, long pageBytes) {
    requirePositive(bytes);
    if (pageBytes <= 0 || pageBytes % profile.pageBytes() != 0) {
      throw new IllegalArgumentException(
          "handles of %d bytes are no multiple of the device's page of %d bytes"
              .formatted(pageBytes, profile.pageBytes()));
    }
    if (bytes % pageBytes != 0) {
      throw new IllegalArgumentException(
          "%d bytes are no multiple of the handle size of %d bytes".formatted(bytes, pageBytes));
    }
    return bytes / pageBytes;
  }

  private long handlesBytes(int count, long handleBytes) {
    requirePositive(count);
    long bytes = Math.multiplyExact(count, handleBytes);
    handleCount(bytes, handleBytes);
    return bytes;
  }

  private static void requirePositive(long bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("a size of " + bytes + " bytes is not positive");
    }
  }
}
