package org.allocsim.validation.gpu.cuda;

/**
 * The calls of the CUDA driver that {@link CudaDevice} makes, on one device and its primary
 * context. Calls that hand out memory answer {@link #REFUSED} where the driver is out of memory;
 * every other error is a {@link CudaException}. One thread at a time.
 */
public interface CudaCalls {
  /** Answer of a call that the driver refused for lack of memory. */
  long REFUSED = -1;

  /** The device's name, such as "NVIDIA H100 80GB HBM3". */
  String deviceName();

  /** Version of the driver's CUDA, such as 13000 for 13.0. */
  int driverVersion();

  /** Makes the context current on the calling thread. */
  void useContext();

  /** Free bytes ({@code cuMemGetInfo}). */
  long freeBytes();

  /** Size of the device ({@code cuMemGetInfo}). */
  long totalBytes();

  /** Size that physical handles are multiples of ({@code cuMemGetAllocationGranularity}). */
  long granularityBytes();

  /** {@code cuMemAlloc}. */
  long allocate(long bytes);

  /** {@code cuMemFree}. */
  void free(long address);

  /** {@code cuMemAddressReserve} at any address. */
  long reserve(long bytes);

  /** {@code cuMemAddressFree}. */
  void unreserve(long address, long bytes);

  /** {@code cuMemCreate} on the device; answers the handle. */
  long create(long bytes);

  /** {@code cuMemRelease}. */
  void release(long handle);

  /** {@code cuMemMap} of a whole handle. */
  void map(long address, long bytes, long handle);

  /** {@code cuMemSetAccess} for reading and writing by the device. */
  void setAccess(long address, long bytes);

  /** {@code cuMemUnmap}. */
  void unmap(long address, long bytes);

  /** {@code cuStreamCreate}, one that does not wait for the default stream. */
  long createStream();

  /** {@code cuStreamDestroy}. */
  void destroyStream(long stream);

  /** {@code cuStreamSynchronize}. */
  void synchronizeStream(long stream);

  /** {@code cuCtxSynchronize}. */
  void synchronizeContext();

  /** {@code cuMemsetD8Async} on a stream; stream 0 is the default one. */
  void fill(long address, long bytes, long stream);

  /** {@code cuMemAllocHost}: pinned host memory; answers its address. */
  long allocateHost(long bytes);

  /** {@code cuMemFreeHost}. */
  void freeHost(long address);

  /** {@code cuMemcpyHtoD}, which returns when the source may be used again. */
  void copyToDevice(long device, long host, long bytes);

  /** {@code cuMemcpyDtoH}. */
  void copyToHost(long host, long device, long bytes);

  /** {@code cuDeviceGetDefaultMemPool}. */
  long defaultPool();

  /** {@code cuMemPoolCreate} with at most this many bytes. */
  long createPool(long maxBytes);

  /** {@code cuMemPoolDestroy}. */
  void destroyPool(long pool);

  /** {@code cuMemAllocFromPoolAsync}. */
  long allocateAsync(long bytes, long pool, long stream);

  /** {@code cuMemFreeAsync}. */
  void freeAsync(long address, long stream);

  /** {@code cuMemPoolTrimTo}. */
  void trimPool(long pool, long keptBytes);

  /** {@code cuMemPoolGetAttribute} of a 64-bit attribute. */
  long poolAttribute(long pool, PoolAttribute attribute);

  /** {@code cuMemPoolSetAttribute}. */
  void setPoolAttribute(long pool, PoolAttribute attribute, long value);

  /** Gives the context back; nothing may be called after it. */
  void close();

  /** Attributes of a pool ({@code CUmemPool_attribute}, CUDA 13.0). */
  enum PoolAttribute {
    /** {@code REUSE_FOLLOW_EVENT_DEPENDENCIES}, an int. */
    REUSE_FOLLOW_EVENTS(1),
    /** {@code REUSE_ALLOW_OPPORTUNISTIC}, an int. */
    REUSE_OPPORTUNISTIC(2),
    /** {@code REUSE_ALLOW_INTERNAL_DEPENDENCIES}, an int. */
    REUSE_INTERNAL_DEPENDENCIES(3),
    /** {@code RELEASE_THRESHOLD} in bytes. */
    RELEASE_THRESHOLD(4),
    /** {@code RESERVED_MEM_CURRENT} in bytes. */
    RESERVED_BYTES(5),
    /** {@code USED_MEM_CURRENT} in bytes. */
    USED_BYTES(7);

    private final int number;

    PoolAttribute(int number) {
      this.number = number;
    }

    int number() {
      return number;
    }
  }
}
