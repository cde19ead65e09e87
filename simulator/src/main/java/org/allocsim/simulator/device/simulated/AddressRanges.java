package org.allocsim.simulator.device.simulated;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.span.Spans;

/**
 * Ranges of addresses ({@code cuMemAddressReserve}) and what is mapped in them. Where they lie is
 * for {@link RawHeap} to say, with whose blocks they share the address space.
 */
final class AddressRanges {
  private final RawHeap heap;
  private final long pageBytes;
  private final AddressTable ranges = new AddressTable();
  private final Spans mapped = new Spans();
  private final PageTables tables = new PageTables();

  /**
   * @param heap gives the addresses
   * @param pageBytes granularity of ranges
   */
  AddressRanges(RawHeap heap, long pageBytes) {
    this.heap = heap;
    this.pageBytes = pageBytes;
  }

  /** Reserves a range; {@link DeviceMemory#REFUSED} where the addresses are used up. */
  long reserve(long bytes) {
    if (bytes > Long.MAX_VALUE - pageBytes) {
      return DeviceMemory.REFUSED;
    }
    long address = heap.reserveRange(wholePages(bytes));
    if (address != DeviceMemory.REFUSED) {
      ranges.add(address, bytes);
    }
    return address;
  }

  /** Gives a range back; nothing may be mapped in it. */
  void unreserve(long address, long bytes) {
    int range = ranges.find(address);
    if (range == AddressTable.NONE || ranges.bytes(range) != bytes) {
      throw new IllegalArgumentException(
          "no range of %d bytes is reserved at 0x%x".formatted(bytes, address));
    }
    if (mapped.overlaps(address, bytes)) {
      throw new IllegalArgumentException(
          "the range at 0x%x still has memory mapped in it".formatted(address));
    }
    ranges.remove(range);
    heap.unreserveRange(address, wholePages(bytes));
  }

  /** Throws unless the span lies in one reserved range and nothing is mapped there. */
  void requireUnmapped(long address, long bytes) {
    int range = ranges.floor(address);
    if (range == AddressTable.NONE
        || ranges.address(range) + ranges.bytes(range) - address < bytes) {
      throw new IllegalArgumentException(
          "%d bytes at 0x%x are not inside a reserved range".formatted(bytes, address));
    }
    if (mapped.overlaps(address, bytes)) {
      throw new IllegalArgumentException(
          "memory is already mapped within %d bytes at 0x%x".formatted(bytes, address));
    }
  }

  /** Notes that a span, checked before, is mapped. */
  void map(long address, long bytes) {
    mapped.add(address, bytes);
    tables.map(address, bytes);
  }

  /** Notes that a span is mapped no longer. */
  void unmap(long address, long bytes) {
    if (!mapped.covers(address, bytes)) {
      throw new IllegalArgumentException(
          "%d bytes at 0x%x are not wholly mapped".formatted(bytes, address));
    }
    mapped.remove(address, bytes);
    tables.unmap(address, bytes);
  }

  /** Bytes that page tables have taken of the device's free memory. */
  long tableBytes() {
    return tables.takenBytes();
  }

  private long wholePages(long bytes) {
    return (bytes + pageBytes - 1) & -pageBytes;
  }
}
