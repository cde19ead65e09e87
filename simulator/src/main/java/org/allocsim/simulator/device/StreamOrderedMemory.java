package org.allocsim.simulator.device;

import java.util.Optional;

/**
 * The memory pool of a device whose allocations and frees take their place in the work of streams
 * ({@code cuMemAllocAsync} on the default pool). Streams are numbers that the caller chooses, small
 * and not negative.
 */
public interface StreamOrderedMemory {
  /** Release threshold under which the pool keeps everything. */
  long KEEP_ALL = Long.MAX_VALUE;

  /**
   * Above the half of x86-64 address space that programs have. Reserved memory without a known
   * address is reported from here on.
   */
  long UNPLACED_ADDRESS = 1L << 47;

  /**
   * Serves a request in the order of a stream's work ({@code cuMemAllocAsync}).
   *
   * @return the address, or {@link DeviceMemory#REFUSED}; a failed call may change what is reserved
   */
  long allocateAsync(long bytes, int stream);

  /**
   * Takes memory back in the order of a stream's work ({@code cuMemFreeAsync}).
   *
   * @param bytes what was asked for
   * @param stream any stream, not necessarily that of the allocation
   */
  void freeAsync(long address, long bytes, int stream);

  /** The host waits for the work of one stream ({@code cuStreamSynchronize}). */
  void synchronizeStream(int stream);

  /** The host waits for all work ({@code cuCtxSynchronize}). */
  void synchronizeDevice();

  /**
   * Returns unused memory to the device while more than this many bytes are reserved ({@code
   * cuMemPoolTrimTo}).
   */
  void trimPool(long keptBytes);

  /** Bytes that the pool holds from the device ({@code RESERVED_MEM_CURRENT}). */
  long poolReservedBytes();

  /** Requested bytes of all live allocations ({@code USED_MEM_CURRENT}). */
  long poolUsedBytes();

  /**
   * From which size on waiting makes the pool return unused memory ({@code RELEASE_THRESHOLD}); 0
   * at the start, {@link #KEEP_ALL} for never.
   */
  void setReleaseThreshold(long bytes);

  /** Most bytes that the pool may reserve ({@code maxSize}); without a limit at the start. */
  void setPoolLimit(long bytes);

  /**
   * Whether memory freed on other streams may be reused before the host has waited for them; both
   * are on at the start.
   *
   * @param opportunistic where their work is known to be complete ({@code
   *     REUSE_ALLOW_OPPORTUNISTIC})
   * @param internalDependencies where the device has no more memory, by making one stream wait for
   *     the others ({@code REUSE_ALLOW_INTERNAL_DEPENDENCIES})
   */
  void setReuse(boolean opportunistic, boolean internalDependencies);

  /** Where the pool's memory lies, for pools that show it; a real driver reports totals only. */
  default Optional<PoolView> view() {
    return Optional.empty();
  }
}
