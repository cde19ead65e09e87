package org.allocsim.simulator.run;

/**
 * A process on a device that others also use.
 *
 * @param name what to call it
 * @param setup its requests, allocator and limit, on a simulated device whose context is that of
 *     this process; the device's size is the same for all tenants
 * @param startNanos when it starts, on the clock that all tenants have in common
 * @param exits whether it ends after its last request and frees everything; otherwise it keeps what
 *     it holds then
 * @param roomBytes how much the driver allows it in addition to its context, however much is free;
 *     −1 for no bound
 */
public record Tenant(String name, RunSetup setup, long startNanos, boolean exits, long roomBytes) {
  /** A process that may have all that is free. */
  public Tenant(String name, RunSetup setup, long startNanos, boolean exits) {
    this(name, setup, startNanos, exits, -1);
  }

  /** Refuses what cannot share a device. */
  public Tenant {
    if (!(setup.memory() instanceof MemorySource.Simulated)) {
      throw new IllegalArgumentException(name + " is not on a simulated device");
    }
    if (setup.course().passes() != 1) {
      throw new IllegalArgumentException(name + " is repeated");
    }
  }

  /** The device as this process sees it, with its own context. */
  MemorySource.Simulated device() {
    return (MemorySource.Simulated) setup.memory();
  }

  /** Memory of its context. */
  public long contextBytes() {
    return device().profile().contextBytes();
  }
}
