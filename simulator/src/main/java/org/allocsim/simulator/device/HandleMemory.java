package org.allocsim.simulator.device;

/**
 * Physical memory apart from the addresses that it is mapped at, so that the same memory can be
 * mapped at several (CUDA's virtual memory management). Addresses come from {@link
 * DeviceMemory#reserve}. A handle is a number that means something to its device only; the calls
 * take runs of them from arrays.
 */
public interface HandleMemory {
  /**
   * Creates physical memory that is mapped nowhere ({@code cuMemCreate}, one a handle); all or
   * nothing.
   *
   * @param handles gets the handles
   * @param from index of the first
   * @param count how many
   * @param handleBytes size of each
   * @return false where memory is lacking
   */
  boolean create(long[] handles, int from, int count, long handleBytes);

  /**
   * Maps handles one after the other at {@code address}, inside one reserved range where nothing is
   * mapped ({@code cuMemMap} and {@code cuMemSetAccess}, one each a handle). A handle may be mapped
   * any number of times; that takes no memory.
   */
  void map(long address, long[] handles, int from, int count, long handleBytes);

  /** Unmaps what {@link #map} mapped there ({@code cuMemUnmap}, one a handle). */
  void unmap(long address, long[] handles, int from, int count, long handleBytes);

  /**
   * Gives handles up ({@code cuMemRelease}, one each). The memory of each is free again as soon as
   * it is mapped nowhere any more, at once where it is not mapped now.
   */
  void release(long[] handles, int from, int count, long handleBytes);
}
