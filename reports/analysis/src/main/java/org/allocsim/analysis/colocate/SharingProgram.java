package org.allocsim.analysis.colocate;

import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.MemorySource;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.run.Tenant;
import org.allocsim.workloads.source.DeviceTrace;

/**
 * A program that shares a GPU.
 *
 * @param name what to call it
 * @param input its requests
 * @param choice its allocator
 * @param limitBytes the allocator's own limit, −1 without one
 * @param contextBytes context of its process
 * @param otherBytes what its process holds beside context and allocator: NCCL, libraries, modules
 * @param startNanos when it starts, on the programs' common clock
 * @param exits whether its process ends after its last request
 * @param roomBytes what the driver lets it have beside its context, as a client of Multi-Process
 *     Service with a limit; −1 for no bound
 */
public record SharingProgram(
    String name,
    DeviceTrace input,
    PolicyChoice choice,
    long limitBytes,
    long contextBytes,
    long otherBytes,
    long startNanos,
    boolean exits,
    long roomBytes) {

  /** What it holds regardless of its allocator. */
  public long fixedBytes() {
    return contextBytes + otherBytes;
  }

  /** The same under another limit of its own. */
  public SharingProgram withLimit(long bytes) {
    return new SharingProgram(
        name, input, choice, bytes, contextBytes, otherBytes, startNanos, exits, roomBytes);
  }

  /**
   * The program as a process on a GPU.
   *
   * @param gpu at least as large as what the process holds regardless of its allocator
   */
  Tenant tenant(DeviceProfile gpu, AfterOom afterOom) {
    DeviceProfile own = gpu.withContext(fixedBytes()).withHistory(input.addresses());
    RunSetup setup =
        new RunSetup(
                input.trace(),
                input.device(),
                RunPolicy.of(choice),
                limitBytes,
                new MemorySource.Simulated(own))
            .with(afterOom);
    return new Tenant(name, setup, startNanos, exits, roomBytes);
  }
}
