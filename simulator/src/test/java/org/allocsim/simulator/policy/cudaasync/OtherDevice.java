package org.allocsim.simulator.policy.cudaasync;

import org.allocsim.simulator.device.DeviceMemory;

/** Another device without its stream-ordered memory. */
class OtherDevice implements DeviceMemory {
  private final DeviceMemory device;

  OtherDevice(DeviceMemory device) {
    this.device = device;
  }

  @Override
  public long allocate(long bytes) {
    return device.allocate(bytes);
  }

  @Override
  public void free(long address, long bytes) {
    device.free(address, bytes);
  }

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    return device.reserve(bytes, pageBytes, stream);
  }

  @Override
  public void unreserve(long address, long bytes) {
    device.unreserve(address, bytes);
  }

  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    return device.map(address, bytes, pageBytes);
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {
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
}
