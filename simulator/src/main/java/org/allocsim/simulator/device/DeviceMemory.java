package org.allocsim.simulator.device;

/**
 * The only way a policy reaches memory: what a GPU driver offers. Sizes are bytes, addresses are
 * unsigned 64-bit values. A refused call returns {@link #REFUSED} (or false) and changes nothing.
 */
public interface DeviceMemory {
  /** Answer of a call that the device refused for lack of memory. */
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

  /** Gives a range of addresses back ({@code cuMemAddressFree}); nothing is mapped in it. */
  void unreserve(long address, long bytes);

  /**
   * Creates physical memory in handles of {@code pageBytes} and maps it at {@code address}; all or
   * nothing.
   *
   * @return false where memory is lacking
   */
  boolean map(long address, long bytes, long pageBytes);

  /** Unmaps and releases physical memory that {@link #map} mapped. */
  void unmap(long address, long bytes, long pageBytes);

  /**
   * Creates physical memory that is mapped nowhere ({@code cuMemCreate}, one a handle); all or
   * nothing. Handles are for policies that map the same memory at several addresses; {@link #map}
   * is for those that do not.
   *
   * @param handles gets the handles, which mean something to this device only
   * @param from index of the first
   * @param count how many
   * @param handleBytes size of each
   * @return false where memory is lacking, or the device has no handles
   */
  default boolean createHandles(long[] handles, int from, int count, long handleBytes) {
    return false;
  }

  /**
   * Maps handles one behind the other at {@code address}, inside one reserved range where nothing
   * is mapped ({@code cuMemMap} and {@code cuMemSetAccess}, one each a handle). A handle may be
   * mapped any number of times; that takes no memory.
   */
  default void mapHandles(long address, long[] handles, int from, int count, long handleBytes) {
    throw new UnsupportedOperationException("the device has no handles");
  }

  /** Unmaps what {@link #mapHandles} mapped there ({@code cuMemUnmap}, one a handle). */
  default void unmapHandles(long address, long[] handles, int from, int count, long handleBytes) {
    throw new UnsupportedOperationException("the device has no handles");
  }

  /**
   * Gives handles up ({@code cuMemRelease}, one each). The memory of each is free again as soon as
   * it is mapped nowhere any more, at once where it is not mapped now.
   */
  default void releaseHandles(long[] handles, int from, int count, long handleBytes) {
    throw new UnsupportedOperationException("the device has no handles");
  }

  /** Free bytes as the driver reports them. */
  long freeBytes();

  /** Size of the device in bytes as the driver reports it, or −1 where it is not known. */
  long totalBytes();
}
