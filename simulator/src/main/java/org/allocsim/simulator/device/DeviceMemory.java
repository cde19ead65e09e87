package org.allocsim.simulator.device;

import java.util.Optional;

/**
 * The only way a policy reaches memory: what a GPU driver offers. Sizes are bytes, addresses are
 * unsigned 64-bit values. A failed call returns {@link #REFUSED} (or false) and changes nothing.
 */
public interface DeviceMemory {
  /** Result of a call that failed for lack of memory. */
  long REFUSED = -1;

  /** Obtains a segment ({@code cuMemAlloc}); returns its address or {@link #REFUSED}. */
  long allocate(long bytes);

  /** Returns a segment ({@code cuMemFree}). */
  void free(long address, long bytes);

  /**
   * Reserves a range of addresses without memory ({@code cuMemAddressReserve}).
   *
   * @param bytes length of the range
   * @param pageBytes size of the handles that will be mapped into it
   * @param stream stream whose blocks will live there (a recording finds the range by it)
   * @return start of the range, or {@link #REFUSED}
   */
  long reserve(long bytes, long pageBytes, int stream);

  /** Frees a range of addresses in which nothing is mapped ({@code cuMemAddressFree}). */
  void unreserve(long address, long bytes);

  /**
   * Creates physical memory in handles of {@code pageBytes} and maps it at {@code address}; all or
   * nothing.
   *
   * @return false if there is not enough memory
   */
  boolean map(long address, long bytes, long pageBytes);

  /** Unmaps and releases physical memory that {@link #map} mapped. */
  void unmap(long address, long bytes, long pageBytes);

  /** Physical memory apart from addresses, where the device offers it. */
  default Optional<HandleMemory> handleMemory() {
    return Optional.empty();
  }

  /** The device's pool of stream-ordered memory, where it has one. */
  default Optional<StreamOrderedMemory> streamOrdered() {
    return Optional.empty();
  }

  /** Free bytes as the driver reports them. */
  long freeBytes();

  /** Size of the device in bytes as the driver reports it, or −1 where it is not known. */
  long totalBytes();
}
