package org.allocsim.validation.gpu.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * Driver calls that JCuda 12.6 does not have or does wrong (its structure for {@code cuMemCreate}
 * leaves fields unset), through the foreign-function interface on {@code libcuda.so.1}. Every
 * method answers the driver's result code. Structures as in {@code cuda.h} of CUDA 13.0.
 */
@SuppressWarnings("restricted") // Calling the driver is what this class is for.
final class ForeignCuda {
  private static final String LIBRARY = "libcuda.so.1";

  /** {@code CUmemAllocationProp}: type, handle types, location type and id at its start. */
  private static final long ALLOCATION_PROPERTIES_BYTES = 32;

  /** {@code CUmemAccessDesc}: location type and id, flags. */
  private static final long ACCESS_BYTES = 12;

  /** {@code CUmemPoolProps}; the maximum of bytes stands at offset 24. */
  private static final long POOL_PROPERTIES_BYTES = 88;

  private static final long POOL_MAX_BYTES_OFFSET = 24;
  private static final int PINNED = 1;
  private static final int ON_DEVICE = 1;
  private static final int READ_AND_WRITE = 3;

  private final Arena arena = Arena.ofShared();
  private final Linker linker = Linker.nativeLinker();
  private final SymbolLookup library;
  private final int device;
  private final MemorySegment result = arena.allocate(JAVA_LONG);
  private final MemorySegment properties = arena.allocate(ALLOCATION_PROPERTIES_BYTES, 8);
  private final MemorySegment access = arena.allocate(ACCESS_BYTES, 4);
  private final MethodHandle create;
  private final MethodHandle release;
  private final MethodHandle map;
  private final MethodHandle setAccess;
  private final MethodHandle unmap;
  private final MethodHandle getDefaultPool;
  private final MethodHandle createPool;
  private final MethodHandle destroyPool;
  private final MethodHandle trimPool;
  private final MethodHandle getPoolAttribute;
  private final MethodHandle setPoolAttribute;
  private final MethodHandle allocateFromPool;
  private final MethodHandle freeAsync;
  private final MethodHandle allocateHost;
  private final MethodHandle freeHost;
  private final MethodHandle copyToDevice;
  private final MethodHandle copyToHost;

  /**
   * Binds the library's functions for a device.
   *
   * @throws CudaException where the library or one of its functions is missing
   */
  ForeignCuda(int device) {
    this.device = device;
    try {
      library = SymbolLookup.libraryLookup(LIBRARY, arena);
    } catch (IllegalArgumentException e) {
      throw new CudaException(
          "no NVIDIA driver: "
              + LIBRARY
              + " cannot be loaded; run this on a machine with an NVIDIA GPU and driver",
          e);
    }
    properties.set(JAVA_INT, 0, PINNED);
    properties.set(JAVA_INT, 8, ON_DEVICE);
    properties.set(JAVA_INT, 12, device);
    access.set(JAVA_INT, 0, ON_DEVICE);
    access.set(JAVA_INT, 4, device);
    access.set(JAVA_INT, 8, READ_AND_WRITE);
    create = bind("cuMemCreate", ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG);
    release = bind("cuMemRelease", JAVA_LONG);
    map = bind("cuMemMap", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    setAccess = bind("cuMemSetAccess", JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG);
    unmap = bind("cuMemUnmap", JAVA_LONG, JAVA_LONG);
    getDefaultPool = bind("cuDeviceGetDefaultMemPool", ADDRESS, JAVA_INT);
    createPool = bind("cuMemPoolCreate", ADDRESS, ADDRESS);
    destroyPool = bind("cuMemPoolDestroy", JAVA_LONG);
    trimPool = bind("cuMemPoolTrimTo", JAVA_LONG, JAVA_LONG);
    getPoolAttribute = bind("cuMemPoolGetAttribute", JAVA_LONG, JAVA_INT, ADDRESS);
    setPoolAttribute = bind("cuMemPoolSetAttribute", JAVA_LONG, JAVA_INT, ADDRESS);
    allocateFromPool = bind("cuMemAllocFromPoolAsync", ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    freeAsync = bind("cuMemFreeAsync", JAVA_LONG, JAVA_LONG);
    allocateHost = bind("cuMemAllocHost_v2", ADDRESS, JAVA_LONG);
    freeHost = bind("cuMemFreeHost", JAVA_LONG);
    copyToDevice = bind("cuMemcpyHtoD_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG);
    copyToHost = bind("cuMemcpyDtoH_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG);
  }

  private MethodHandle bind(String name, MemoryLayout... parameters) {
    MemorySegment symbol =
        library
            .find(name)
            .orElseThrow(() ->
                new CudaException(
                    "the NVIDIA driver has no " + name + "; it must be of CUDA 11.2 or newer"));
    return linker.downcallHandle(symbol, FunctionDescriptor.of(JAVA_INT, parameters));
  }

  /** What the last call that made something answered. */
  long result() {
    return result.get(JAVA_LONG, 0);
  }

  int create(long bytes) {
    try {
      return (int) create.invokeExact(result, bytes, properties, 0L);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int release(long handle) {
    try {
      return (int) release.invokeExact(handle);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int map(long address, long bytes, long handle) {
    try {
      return (int) map.invokeExact(address, bytes, 0L, handle, 0L);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int setAccess(long address, long bytes) {
    try {
      return (int) setAccess.invokeExact(address, bytes, access, 1L);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int unmap(long address, long bytes) {
    try {
      return (int) unmap.invokeExact(address, bytes);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int defaultPool() {
    try {
      return (int) getDefaultPool.invokeExact(result, device);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int createPool(long maxBytes) {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment pool = call.allocate(POOL_PROPERTIES_BYTES, 8);
      pool.set(JAVA_INT, 0, PINNED);
      pool.set(JAVA_INT, 8, ON_DEVICE);
      pool.set(JAVA_INT, 12, device);
      pool.set(JAVA_LONG, POOL_MAX_BYTES_OFFSET, maxBytes);
      return (int) createPool.invokeExact(result, pool);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int destroyPool(long pool) {
    try {
      return (int) destroyPool.invokeExact(pool);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int trimPool(long pool, long keptBytes) {
    try {
      return (int) trimPool.invokeExact(pool, keptBytes);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int poolAttribute(long pool, int attribute) {
    try {
      result.set(JAVA_LONG, 0, 0);
      return (int) getPoolAttribute.invokeExact(pool, attribute, result);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int setPoolAttribute(long pool, int attribute, long value) {
    try {
      // The machine is little-endian: a 32-bit attribute reads the low half.
      result.set(JAVA_LONG, 0, value);
      return (int) setPoolAttribute.invokeExact(pool, attribute, result);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int allocateFromPool(long bytes, long pool, long stream) {
    try {
      return (int) allocateFromPool.invokeExact(result, bytes, pool, stream);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int freeAsync(long address, long stream) {
    try {
      return (int) freeAsync.invokeExact(address, stream);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int allocateHost(long bytes) {
    try {
      return (int) allocateHost.invokeExact(result, bytes);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int freeHost(long address) {
    try {
      return (int) freeHost.invokeExact(address);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int copyToDevice(long target, long host, long bytes) {
    try {
      return (int) copyToDevice.invokeExact(target, host, bytes);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int copyToHost(long host, long source, long bytes) {
    try {
      return (int) copyToHost.invokeExact(host, source, bytes);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  void close() {
    arena.close();
  }

  /** A downcall throws nothing of its own. */
  private static IllegalStateException impossible(Throwable cause) {
    return new IllegalStateException(cause);
  }
}
