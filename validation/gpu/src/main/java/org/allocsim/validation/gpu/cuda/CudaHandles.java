package org.allocsim.validation.gpu.cuda;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.allocsim.simulator.device.HandleMemory;
import org.allocsim.simulator.device.cost.DriverCall;

/**
 * Physical memory of a {@link CudaDevice}, in handles. The driver frees the memory of a handle when
 * it is both released and mapped nowhere, so the books keep handles and mappings apart; whatever
 * call fails, both know what is left to give back.
 */
final class CudaHandles implements HandleMemory {
  private final CudaDevice device;
  private final CudaCalls cuda;

  /** Handles that were not released, with their sizes. */
  private final Map<Long, Long> held = new HashMap<>();

  private final TreeMap<Long, Mapping> mappings = new TreeMap<>(Long::compareUnsigned);

  private record Mapping(long bytes, long handle) {}

  CudaHandles(CudaDevice device, CudaCalls cuda) {
    this.device = device;
    this.cuda = cuda;
  }

  @Override
  public boolean create(long[] handles, int from, int count, long handleBytes) {
    synchronized (device) {
      device.requireOpen();
      if (device.isBeyondBound(Math.multiplyExact(count, handleBytes))) {
        return false;
      }
      for (int at = from; at < from + count; at++) {
        handles[at] = create(handleBytes);
        if (handles[at] == CudaCalls.REFUSED) {
          for (int back = from; back < at; back++) {
            release(handles[back], handleBytes);
          }
          return false;
        }
      }
      return true;
    }
  }

  @Override
  public void map(long address, long[] handles, int from, int count, long handleBytes) {
    synchronized (device) {
      device.requireOpen();
      for (int i = 0; i < count; i++) {
        requireHeld(handles[from + i], handleBytes);
      }
      for (int i = 0; i < count; i++) {
        long place = address + i * handleBytes;
        map(place, handles[from + i], handleBytes);
        setAccess(place, handleBytes);
      }
    }
  }

  @Override
  public void unmap(long address, long[] handles, int from, int count, long handleBytes) {
    synchronized (device) {
      device.requireOpen();
      for (int i = 0; i < count; i++) {
        long place = address + i * handleBytes;
        Mapping mapping = mappings.get(place);
        if (mapping == null || mapping.handle() != handles[from + i]) {
          throw CudaDevice.unknown("mapping", place);
        }
      }
      device.awaitTouches();
      for (int i = 0; i < count; i++) {
        unmap(address + i * handleBytes);
      }
    }
  }

  @Override
  public void release(long[] handles, int from, int count, long handleBytes) {
    synchronized (device) {
      device.requireOpen();
      for (int i = from; i < from + count; i++) {
        requireHeld(handles[i], handleBytes);
        release(handles[i], handleBytes);
      }
    }
  }

  /** Creates handles and maps them at an address, with access given once; all or nothing. */
  boolean createMapped(long address, long bytes, long handleBytes) {
    int count = Math.toIntExact(bytes / handleBytes);
    long[] handles = new long[count];
    if (!create(handles, 0, count, handleBytes)) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      map(address + i * handleBytes, handles[i], handleBytes);
    }
    setAccess(address, bytes);
    return true;
  }

  /** Unmaps and releases what {@link #createMapped} mapped. */
  void removeMapped(long address, long bytes, long handleBytes) {
    device.awaitTouches();
    for (long place = address; place != address + bytes; place += handleBytes) {
      if (!mappings.containsKey(place)) {
        throw CudaDevice.unknown("mapping", place);
      }
      Mapping mapping = unmap(place);
      release(mapping.handle(), mapping.bytes());
    }
  }

  private long create(long bytes) {
    long start = System.nanoTime();
    long handle = cuda.create(bytes);
    device.called(DriverCall.CREATE, bytes, start, handle == CudaCalls.REFUSED);
    if (handle != CudaCalls.REFUSED) {
      held.put(handle, bytes);
    }
    return handle;
  }

  private void map(long place, long handle, long bytes) {
    long start = System.nanoTime();
    cuda.map(place, bytes, handle);
    device.called(DriverCall.MAP, bytes, start, false);
    mappings.put(place, new Mapping(bytes, handle));
  }

  private void setAccess(long address, long bytes) {
    long start = System.nanoTime();
    cuda.setAccess(address, bytes);
    device.called(DriverCall.SET_ACCESS, bytes, start, false);
  }

  private Mapping unmap(long place) {
    Mapping mapping = Objects.requireNonNull(mappings.remove(place));
    long start = System.nanoTime();
    cuda.unmap(place, mapping.bytes());
    device.called(DriverCall.UNMAP, mapping.bytes(), start, false);
    return mapping;
  }

  private void release(long handle, long bytes) {
    held.remove(handle);
    long start = System.nanoTime();
    cuda.release(handle);
    device.called(DriverCall.RELEASE, bytes, start, false);
  }

  private void requireHeld(long handle, long handleBytes) {
    Long bytes = held.get(handle);
    if (bytes == null || bytes != handleBytes) {
      throw CudaDevice.unknown("handle of " + handleBytes + " bytes", handle);
    }
  }

  /** Gives everything back that is still mapped or held. */
  void freeAll(Cleanup cleanup) {
    mappings.forEach(
        (address, mapping) -> cleanup.attempt(() -> cuda.unmap(address, mapping.bytes())));
    held.keySet().forEach(handle -> cleanup.attempt(() -> cuda.release(handle)));
    mappings.clear();
    held.clear();
  }
}
