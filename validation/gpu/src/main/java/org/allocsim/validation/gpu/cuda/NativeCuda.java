package org.allocsim.validation.gpu.cuda;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUmemAllocationGranularity_flags;
import jcuda.driver.CUmemAllocationProp;
import jcuda.driver.CUmemAllocationType;
import jcuda.driver.CUmemLocation;
import jcuda.driver.CUmemLocationType;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/**
 * The real driver: JCuda 12.6 where it works, {@link ForeignCuda} for the rest. The device's
 * primary context is used, as PyTorch does.
 */
public final class NativeCuda implements CudaCalls {
  private static final int NAME_BYTES = 256;
  private static final int NON_BLOCKING = 1;

  private final CUdevice device = new CUdevice();
  private final CUcontext context = new CUcontext();
  private final ForeignCuda foreign;
  private final int index;
  private final String name;
  private final int version;
  private final Map<Long, NativeStream> streams = new HashMap<>();
  private final long[] free = new long[1];
  private final long[] total = new long[1];

  /**
   * Opens a device.
   *
   * @throws CudaException where there is no driver or no such device
   */
  public NativeCuda(int index) {
    this.index = index;
    streams.put(0L, new NativeStream());
    // Looks for the driver first: without it, JCuda ends in errors of the class loader.
    foreign = new ForeignCuda(index);
    try {
      JCudaDriver.setExceptionsEnabled(false);
      check("cuInit", JCudaDriver.cuInit(0));
      int[] count = new int[1];
      check("cuDeviceGetCount", JCudaDriver.cuDeviceGetCount(count));
      if (index < 0 || index >= count[0]) {
        throw new CudaException(
            "no GPU " + index + "; this machine has " + count[0] + ", counted from 0");
      }
      check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, index));
      check("cuDevicePrimaryCtxRetain", JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
      check("cuCtxSetCurrent", JCudaDriver.cuCtxSetCurrent(context));
      byte[] text = new byte[NAME_BYTES];
      check("cuDeviceGetName", JCudaDriver.cuDeviceGetName(text, NAME_BYTES, device));
      name = new String(text, StandardCharsets.UTF_8).replaceAll("\0.*", "");
      check("cuDriverGetVersion", JCudaDriver.cuDriverGetVersion(count));
      version = count[0];
    } catch (UnsatisfiedLinkError | NoClassDefFoundError | ExceptionInInitializerError e) {
      throw new CudaException(
          "the native library of JCuda cannot be loaded; put libJCudaDriver on"
              + " -Djava.library.path, on Linux x86-64",
          e);
    }
  }

  private static void check(String call, int result) {
    if (result != CUresult.CUDA_SUCCESS) {
      throw new CudaException(
          "%s failed with %s (%d)".formatted(call, CUresult.stringFor(result), result));
    }
  }

  /** The answer of a call that hands out memory. */
  private static long answer(String call, int result, long value) {
    if (result == CUresult.CUDA_ERROR_OUT_OF_MEMORY) {
      return REFUSED;
    }
    check(call, result);
    return value;
  }

  @Override
  public String deviceName() {
    return name;
  }

  @Override
  public int driverVersion() {
    return version;
  }

  @Override
  public void useContext() {
    check("cuCtxSetCurrent", JCudaDriver.cuCtxSetCurrent(context));
  }

  @Override
  public long freeBytes() {
    check("cuMemGetInfo", JCudaDriver.cuMemGetInfo(free, total));
    return free[0];
  }

  @Override
  public long totalBytes() {
    check("cuMemGetInfo", JCudaDriver.cuMemGetInfo(free, total));
    return total[0];
  }

  @Override
  public long granularityBytes() {
    CUmemAllocationProp properties = new CUmemAllocationProp();
    properties.type = CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = new CUmemLocation();
    properties.location.type = CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = index;
    long[] bytes = new long[1];
    check(
        "cuMemGetAllocationGranularity",
        JCudaDriver.cuMemGetAllocationGranularity(
            bytes, properties, CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    return bytes[0];
  }

  @Override
  public long allocate(long bytes) {
    DevicePointer pointer = new DevicePointer();
    int result = JCudaDriver.cuMemAlloc(pointer, bytes);
    return answer("cuMemAlloc", result, pointer.address());
  }

  @Override
  public void free(long address) {
    check("cuMemFree", JCudaDriver.cuMemFree(new DevicePointer(address)));
  }

  @Override
  public long reserve(long bytes) {
    DevicePointer pointer = new DevicePointer();
    int result = JCudaDriver.cuMemAddressReserve(pointer, bytes, 0, new CUdeviceptr(), 0);
    return answer("cuMemAddressReserve", result, pointer.address());
  }

  @Override
  public void unreserve(long address, long bytes) {
    check("cuMemAddressFree", JCudaDriver.cuMemAddressFree(new DevicePointer(address), bytes));
  }

  @Override
  public long create(long bytes) {
    int result = foreign.create(bytes);
    return answer("cuMemCreate", result, foreign.result());
  }

  @Override
  public void release(long handle) {
    check("cuMemRelease", foreign.release(handle));
  }

  @Override
  public void map(long address, long bytes, long handle) {
    check("cuMemMap", foreign.map(address, bytes, handle));
  }

  @Override
  public void setAccess(long address, long bytes) {
    check("cuMemSetAccess", foreign.setAccess(address, bytes));
  }

  @Override
  public void unmap(long address, long bytes) {
    check("cuMemUnmap", foreign.unmap(address, bytes));
  }

  @Override
  public long createStream() {
    NativeStream stream = new NativeStream();
    check("cuStreamCreate", JCudaDriver.cuStreamCreate(stream, NON_BLOCKING));
    streams.put(stream.handle(), stream);
    return stream.handle();
  }

  @Override
  public void destroyStream(long stream) {
    check("cuStreamDestroy", JCudaDriver.cuStreamDestroy(streams.remove(stream)));
  }

  @Override
  public void synchronizeStream(long stream) {
    check("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(streams.get(stream)));
  }

  @Override
  public void synchronizeContext() {
    check("cuCtxSynchronize", JCudaDriver.cuCtxSynchronize());
  }

  @Override
  public void fill(long address, long bytes, long stream) {
    check(
        "cuMemsetD8Async",
        JCudaDriver.cuMemsetD8Async(
            new DevicePointer(address), (byte) 0, bytes, streams.get(stream)));
  }

  @Override
  public long allocateHost(long bytes) {
    int result = foreign.allocateHost(bytes);
    return answer("cuMemAllocHost", result, foreign.result());
  }

  @Override
  public void freeHost(long address) {
    check("cuMemFreeHost", foreign.freeHost(address));
  }

  @Override
  public void copyToDevice(long target, long host, long bytes) {
    check("cuMemcpyHtoD", foreign.copyToDevice(target, host, bytes));
  }

  @Override
  public void copyToHost(long host, long source, long bytes) {
    check("cuMemcpyDtoH", foreign.copyToHost(host, source, bytes));
  }

  @Override
  public long defaultPool() {
    check("cuDeviceGetDefaultMemPool", foreign.defaultPool());
    return foreign.result();
  }

  @Override
  public long createPool(long maxBytes) {
    check("cuMemPoolCreate", foreign.createPool(maxBytes));
    return foreign.result();
  }

  @Override
  public void destroyPool(long pool) {
    check("cuMemPoolDestroy", foreign.destroyPool(pool));
  }

  @Override
  public long allocateAsync(long bytes, long pool, long stream) {
    int result = foreign.allocateFromPool(bytes, pool, stream);
    return answer("cuMemAllocFromPoolAsync", result, foreign.result());
  }

  @Override
  public void freeAsync(long address, long stream) {
    check("cuMemFreeAsync", foreign.freeAsync(address, stream));
  }

  @Override
  public void trimPool(long pool, long keptBytes) {
    check("cuMemPoolTrimTo", foreign.trimPool(pool, keptBytes));
  }

  @Override
  public long poolAttribute(long pool, PoolAttribute attribute) {
    check("cuMemPoolGetAttribute", foreign.poolAttribute(pool, attribute.number()));
    return foreign.result();
  }

  @Override
  public void setPoolAttribute(long pool, PoolAttribute attribute, long value) {
    check("cuMemPoolSetAttribute", foreign.setPoolAttribute(pool, attribute.number(), value));
  }

  @Override
  public void close() {
    check("cuDevicePrimaryCtxRelease", JCudaDriver.cuDevicePrimaryCtxRelease(device));
    foreign.close();
  }
}
