package org.allocsim.reports.cli;

import java.util.SortedMap;
import java.util.TreeMap;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DriverCall;

/** Counts the driver calls that a policy makes, as a simulated device does by itself. */
final class CountingDevice implements DeviceMemory {
  private final DeviceMemory device;
  private final long[] calls = new long[DriverCall.values().length];

  CountingDevice(DeviceMemory device) {
    this.device = device;
  }

  /** Calls so far. */
  long calls(DriverCall call) {
    return calls[call.ordinal()];
  }

  /** Whether a count is shown: always, but stream-ordered calls only where there are any. */
  static boolean isShown(DriverCall call, long count) {
    return switch (call) {
      case ALLOCATE_ASYNC, FREE_ASYNC, TRIM_POOL -> count > 0;
      default -> true;
    };
  }

  /** All calls by name. */
  static SortedMap<String, Long> byName(java.util.function.ToLongFunction<DriverCall> calls) {
    SortedMap<String, Long> names = new TreeMap<>();
    for (DriverCall call : DriverCall.values()) {
      long count = calls.applyAsLong(call);
      if (isShown(call, count)) {
        names.put(call.function(), count);
      }
    }
    return names;
  }

  @Override
  public long allocate(long bytes) {
    count(DriverCall.ALLOCATE, 1);
    return device.allocate(bytes);
  }

  @Override
  public void free(long address, long bytes) {
    count(DriverCall.FREE, 1);
    device.free(address, bytes);
  }

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    count(DriverCall.ADDRESS_RESERVE, 1);
    return device.reserve(bytes, pageBytes, stream);
  }

  @Override
  public void unreserve(long address, long bytes) {
    count(DriverCall.ADDRESS_FREE, 1);
    device.unreserve(address, bytes);
  }

  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    boolean mapped = device.map(address, bytes, pageBytes);
    if (mapped) {
      count(DriverCall.CREATE, bytes / pageBytes);
      count(DriverCall.MAP, bytes / pageBytes);
      count(DriverCall.SET_ACCESS, 1);
    } else {
      // How many handles the driver gave before it refused one is not known.
      count(DriverCall.CREATE, 1);
    }
    return mapped;
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {
    count(DriverCall.UNMAP, bytes / pageBytes);
    count(DriverCall.RELEASE, bytes / pageBytes);
    device.unmap(address, bytes, pageBytes);
  }

  @Override
  public long freeBytes() {
    return device.freeBytes();
  }

  @Override
  public long totalBytes() {
    return device.totalBytes();
  }

  private void count(DriverCall call, long times) {
    calls[call.ordinal()] += times;
  }
}
