package org.allocsim.simulator.policy.gmlake;

import java.util.ArrayDeque;
import java.util.Optional;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.HandleMemory;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;

/** A device that has few addresses for ranges, and remembers which addresses it gave. */
final class GivenAddresses implements DeviceMemory {
  private final SimulatedDevice device;
  private final long maxReservedBytes;
  private final ArrayDeque<Long> given = new ArrayDeque<>();
  private long reservedBytes;

  GivenAddresses(SimulatedDevice device, long maxReservedBytes) {
    this.device = device;
    this.maxReservedBytes = maxReservedBytes;
  }

  /** The address given first of those that were not answered here yet. */
  long nextGiven() {
    return given.remove();
  }

  int givenButUnused() {
    return given.size();
  }

  long reservedBytes() {
    return reservedBytes;
  }

  long calls(DriverCall call) {
    return device.driverCalls(call);
  }

  private long note(long address) {
    if (address != REFUSED) {
      given.add(address);
    }
    return address;
  }

  @Override
  public long allocate(long bytes) {
    return note(device.allocate(bytes));
  }

  @Override
  public void free(long address, long bytes) {
    device.free(address, bytes);
  }

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    if (reservedBytes + bytes > maxReservedBytes) {
      return REFUSED;
    }
    reservedBytes += bytes;
    return note(device.reserve(bytes, pageBytes, stream));
  }

  @Override
  public void unreserve(long address, long bytes) {
    device.unreserve(address, bytes);
    reservedBytes -= bytes;
  }

  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    throw new AssertionError("GMLake maps handles");
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {
    throw new AssertionError("GMLake unmaps handles");
  }

  @Override
  public Optional<HandleMemory> handleMemory() {
    return device.handleMemory();
  }

  @Override
  public long freeBytes() {
    return device.freeBytes();
  }

  @Override
  public long totalBytes() {
    return device.totalBytes();
  }
}
