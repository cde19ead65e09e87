package org.allocsim.simulator.device.simulated;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.HandleMemory;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.cost.DriverMeter;
import org.allocsim.simulator.device.cost.HandleCosts;

/**
 * Physical memory of a simulated device: each handle takes its bytes from its creation until it is
 * both released and mapped nowhere (CUDA driver API 13.0). Handles are row numbers; rows of memory
 * that is gone are used again. Misuse that the driver would answer with an error ends in an {@link
 * IllegalArgumentException}.
 */
final class SimulatedHandles implements HandleMemory {
  private final long pageBytes;
  private final HandleCosts costs;
  private final DriverMeter meter;
  private final AddressRanges ranges;
  private final LongUnaryOperator freeBytes;

  private long[] bytes = new long[64];
  private int[] mappings = new int[64];
  private boolean[] held = new boolean[64];
  private int rows;
  private int[] unused = new int[64];
  private int unusedCount;
  private long takenBytes;

  /** Handle by the address that it is mapped at. */
  private final Map<Long, Integer> handleAt = new HashMap<>();

  /**
   * Handles of a device.
   *
   * @param freeBytes bytes that the device has left for a call that wants so many
   */
  SimulatedHandles(
      DeviceProfile profile, DriverMeter meter, AddressRanges ranges, LongUnaryOperator freeBytes) {
    pageBytes = profile.pageBytes();
    costs = profile.costs().handles();
    this.meter = meter;
    this.ranges = ranges;
    this.freeBytes = freeBytes;
  }

  /** Bytes of all handles whose memory is not free. */
  long takenBytes() {
    return takenBytes;
  }

  @Override
  public boolean create(long[] handles, int from, int count, long handleBytes) {
    long wanted = runBytes(count, handleBytes);
    long free = freeBytes.applyAsLong(wanted);
    if (wanted > free) {
      long made = free / handleBytes;
      meter.count(DriverCall.CREATE, made + 1, costs.createNanos(handleBytes / pageBytes));
      meter.count(DriverCall.RELEASE, made, costs.releaseNanos(handleBytes / pageBytes));
      return false;
    }
    for (int i = from; i < from + count; i++) {
      handles[i] = create(handleBytes);
    }
    meter.count(DriverCall.CREATE, count, costs.createNanos(handleBytes / pageBytes));
    return true;
  }

  private int create(long handleBytes) {
    int handle;
    if (unusedCount > 0) {
      handle = unused[--unusedCount];
    } else {
      if (rows == bytes.length) {
        bytes = Arrays.copyOf(bytes, rows * 2);
        mappings = Arrays.copyOf(mappings, rows * 2);
        held = Arrays.copyOf(held, rows * 2);
      }
      handle = rows++;
    }
    bytes[handle] = handleBytes;
    mappings[handle] = 0;
    held[handle] = true;
    takenBytes += handleBytes;
    return handle;
  }

  @Override
  public void map(long address, long[] handles, int from, int count, long handleBytes) {
    long length = runBytes(count, handleBytes);
    ranges.requireUnmapped(address, length);
    requireHeld(handles, from, count, handleBytes);
    ranges.map(address, length);
    for (int i = 0; i < count; i++) {
      int handle = (int) handles[from + i];
      mappings[handle]++;
      handleAt.put(address + i * handleBytes, handle);
    }
    meter.count(DriverCall.MAP, count, costs.mapNanos(handleBytes / pageBytes));
    meter.count(DriverCall.SET_ACCESS, count, costs.setAccessNanos(1, handleBytes / pageBytes));
  }

  @Override
  public void unmap(long address, long[] handles, int from, int count, long handleBytes) {
    long length = runBytes(count, handleBytes);
    for (int i = 0; i < count; i++) {
      Integer handle = handleAt.get(address + i * handleBytes);
      if (handle == null || handle != handles[from + i]) {
        throw new IllegalArgumentException(
            "handle %d is not mapped at 0x%x"
                .formatted(handles[from + i], address + i * handleBytes));
      }
    }
    ranges.unmap(address, length);
    for (int i = 0; i < count; i++) {
      int handle = (int) handles[from + i];
      handleAt.remove(address + i * handleBytes);
      mappings[handle]--;
      recycleIfUnused(handle);
    }
    meter.count(DriverCall.UNMAP, count, costs.unmapNanos(handleBytes / pageBytes));
  }

  @Override
  public void release(long[] handles, int from, int count, long handleBytes) {
    runBytes(count, handleBytes);
    requireHeld(handles, from, count, handleBytes);
    for (int i = from; i < from + count; i++) {
      int handle = (int) handles[i];
      held[handle] = false;
      recycleIfUnused(handle);
    }
    meter.count(DriverCall.RELEASE, count, costs.releaseNanos(handleBytes / pageBytes));
  }

  private void recycleIfUnused(int handle) {
    if (held[handle] || mappings[handle] > 0) {
      return;
    }
    takenBytes -= bytes[handle];
    if (unusedCount == unused.length) {
      unused = Arrays.copyOf(unused, unusedCount * 2);
    }
    unused[unusedCount++] = handle;
  }

  private void requireHeld(long[] handles, int from, int count, long handleBytes) {
    for (int i = from; i < from + count; i++) {
      long handle = handles[i];
      if (handle < 0 || handle >= rows || !held[(int) handle]) {
        throw new IllegalArgumentException("handle " + handle + " does not exist");
      }
      if (bytes[(int) handle] != handleBytes) {
        throw new IllegalArgumentException(
            "handle %d has %d bytes, not %d".formatted(handle, bytes[(int) handle], handleBytes));
      }
    }
  }

  private long runBytes(int count, long handleBytes) {
    if (count <= 0 || handleBytes <= 0 || handleBytes % pageBytes != 0) {
      throw new IllegalArgumentException(
          "%d handles of %d bytes are not a positive number of multiples of the page of %d bytes"
              .formatted(count, handleBytes, pageBytes));
    }
    return Math.multiplyExact(count, handleBytes);
  }
}
