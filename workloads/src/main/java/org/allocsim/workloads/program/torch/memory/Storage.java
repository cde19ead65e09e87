package org.allocsim.workloads.program.torch.memory;

/** Memory that tensors share; it is given back when the last of them goes. */
public final class Storage {
  /** Allocation of a storage without device memory. */
  public static final int NONE = -1;

  private final Device device;
  private int allocation;
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
    if (--references == 0) {
      freeMemory();
    }
  }

  /** Gives the memory back while tensors still share this storage. */
  public void freeMemory() {
    if (allocation != NONE) {
      device.free(allocation);
      allocation = NONE;
    }
  }

  /** Asks for memory where there is none. */
  public void takeMemory(long bytes) {
    if (allocation != NONE) {
      throw new IllegalStateException("the storage already has memory");
    }
    allocation = device.allocate(bytes);
  }
}
