package org.allocsim.simulator.device;

/**
 * Where {@code cuMemAddressReserve} puts ranges and what is mapped in them. A range is rounded up
 * to whole units of 32 MiB and takes the lowest gap from the base address on; ranges given back are
 * used again. So did driver 580 (CUDA 13.0) on H100 for all expandable segments of the recorded
 * PyTorch 2.11 processes: base 0x302000000, far below the addresses of {@code cuMemAlloc}, in every
 * process the same. On H200, whose ranges are longer, no range lies across 2^40: one that would is
 * put 64 MiB behind it, and further ones behind that.
 */
final class AddressRanges {
  /** End of the user half of x86-64 address space. */
  private static final long END_OF_ADDRESSES = 1L << 47;

  /** No range lies across this address. */
  private static final long BOUNDARY = 1L << 40;

  /** First address of a range beyond {@link #BOUNDARY}. */
  private static final long BEYOND = BOUNDARY + (64L << 20);

  private final long baseAddress;
  private final long unitBytes;
  private final long endAddress;
  private final AddressTable ranges = new AddressTable();
  private final Spans mapped = new Spans();

  /**
   * @param baseAddress address of the first range
   * @param unitBytes granularity of ranges
   */
  AddressRanges(long baseAddress, long unitBytes) {
    this.baseAddress = baseAddress;
    this.unitBytes = unitBytes;
    this.endAddress = END_OF_ADDRESSES;
  }

  /** Reserves a range; {@link DeviceMemory#REFUSED} where the addresses are used up. */
  long reserve(long bytes) {
    if (bytes > endAddress - baseAddress) {
      return DeviceMemory.REFUSED;
    }
    long rounded = roundUp(bytes);
    long start = within(baseAddress, rounded);
    for (int i = 0; i < ranges.count() && ranges.address(i) - start < rounded; i++) {
      long end = ranges.address(i) + roundUp(ranges.bytes(i));
      start = within(Math.max(start, end), rounded);
    }
    if (rounded > endAddress - start) {
      return DeviceMemory.REFUSED;
    }
    ranges.add(start, bytes);
    return start;
  }

  /** Gives a range back; nothing may be mapped in it. */
  void unreserve(long address, long bytes) {
    int range = ranges.find(address);
    if (range < 0 || ranges.bytes(range) != bytes) {
      throw new IllegalArgumentException(
          "no range of %d bytes is reserved at 0x%x".formatted(bytes, address));
    }
    if (mapped.overlaps(address, bytes)) {
      throw new IllegalArgumentException(
          "the range at 0x%x still has memory mapped in it".formatted(address));
    }
    ranges.remove(range);
  }

  /** Throws unless the span lies in one reserved range and nothing is mapped there. */
  void requireUnmapped(long address, long bytes) {
    int range = ranges.findAtOrBelow(address);
    if (range < 0 || ranges.address(range) + ranges.bytes(range) - address < bytes) {
      throw new IllegalArgumentException(
          "%d bytes at 0x%x are not inside a reserved range".formatted(bytes, address));
    }
    if (mapped.overlaps(address, bytes)) {
      throw new IllegalArgumentException(
          "memory is mapped already within %d bytes at 0x%x".formatted(bytes, address));
    }
  }

  /** Notes that a span, checked before, is mapped. */
  void map(long address, long bytes) {
    mapped.add(address, bytes);
  }

  /** Notes that a span is mapped no longer. */
  void unmap(long address, long bytes) {
    if (!mapped.covers(address, bytes)) {
      throw new IllegalArgumentException(
          "%d bytes at 0x%x are not wholly mapped".formatted(bytes, address));
    }
    mapped.remove(address, bytes);
  }

  /** The first start from an address on at which a range does not lie across the boundary. */
  private static long within(long start, long bytes) {
    return start < BOUNDARY && bytes > BOUNDARY - start
        ? BEYOND
        : start >= BOUNDARY && start < BEYOND ? BEYOND : start;
  }

  private long roundUp(long bytes) {
    return (bytes + unitBytes - 1) & -unitBytes;
  }
}
