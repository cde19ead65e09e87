package org.allocsim.workloads.program.torch;

/** Memory that tensors share; it is given back when the last of them goes. */
final class Storage {
  /** Allocation of a storage without device memory. */
  static final int NONE = -1;

  private final Device device;
  private final int allocation;
  private int references;

  Storage(Device device, int allocation) {
    this.device = device;
    this.allocation = allocation;
  }

  int allocation() {
    return allocation;
  }

  int references() {
    return references;
  }

  void retain() {
    references++;
  }

  void useStream(long handle) {
    device.useStream(allocation, handle);
  }

  void release() {
    if (--references == 0 && allocation != NONE) {
      device.free(allocation);
    }
  }
}
