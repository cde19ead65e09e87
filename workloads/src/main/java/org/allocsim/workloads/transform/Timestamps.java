package org.allocsim.workloads.transform;

import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.HostMemoryListener;
import org.allocsim.simulator.policy.pinned.PinnedHostAllocator;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.timing.Roofline;
import org.allocsim.simulator.timing.Simulation;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * Gives a synthetic program the times that it would have on a GPU with PyTorch's allocator, and
 * says where its stream uses are over then, as a recording would. What replays without time then
 * knows when blocks become reusable.
 */
public final class Timestamps {
  private Timestamps() {}

  /**
   * A copy of a trace with times. USE_COMPLETE rows of a program with work are replaced.
   *
   * @param device index of the device whose rows get times; others are left out
   */
  public static AllocationTrace onto(AllocationTrace trace, int device, DeviceProfile profile) {
    Simulation simulation =
        new Simulation(trace, device, new SimulatedDevice(profile), Roofline.of(profile.compute()));
    CachingAllocator policy =
        new CachingAllocator(
            AllocatorConfig.DEFAULT,
            PyTorchVersion.DEFAULT,
            MemoryLimit.NONE,
            simulation.memory(),
            simulation.listener());
    PinnedHostAllocator host =
        new PinnedHostAllocator(
            simulation.hostMemory(), EffectListeners.NONE, HostMemoryListener.NONE);
    Copy copy = new Copy(trace);
    simulation.run(policy, host, EffectListeners.NONE, () -> 0, copy);
    return copy.rows.build();
  }

  private static final class Copy implements Simulation.Observer {
    private final AllocationTrace trace;
    private final TraceCopy rows;
    private final boolean hasWork;

    Copy(AllocationTrace trace) {
      this.trace = trace;
      rows = new TraceCopy(trace);
      hasWork = trace.workCount() > 0;
    }

    @Override
    public boolean before(int event) {
      return true;
    }

    @Override
    public void at(int event, long hostNanos) {
      if (!hasWork || trace.kind(event) != RequestKind.USE_COMPLETE) {
        rows.row(event, trace.bytes(event), hostNanos);
      }
    }

    @Override
    public void useCompleted(int allocation, int stream, long nanos) {
      rows.useComplete(allocation, stream, nanos);
    }
  }
}
