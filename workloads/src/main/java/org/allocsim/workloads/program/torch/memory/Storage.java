package org.allocsim.workloads.program.torch.memory;

/** Memory that tensors share; it is given back when the last of them goes. */
public final class Storage {
  /** Allocation of a storage without device memory. */
  public static final int NONE = -1;

  private final Device device;
  private final int allocation;
  private int references;

  public Storage(Device device, int allocation) {
    this.device = device;
    this.allocation = allocation;
  }

  public int allocation() {
    return allocation;
  }

  public int references() {
    return references;
  }

  public void retain() {
    references++;
  }

  public void useStream(long handle) {
    device.useStream(allocation, handle);
  }

  public void release() {
    if (--references == 0 && allocation != NONE) {
      device.free(allocation);
    }
  }
}
