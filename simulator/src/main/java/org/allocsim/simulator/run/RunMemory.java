package org.allocsim.simulator.run;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectFollower;
import org.allocsim.simulator.timing.Pace;
import org.allocsim.simulator.timing.Roofline;
import org.allocsim.simulator.timing.Simulation;
import org.allocsim.simulator.trace.AllocationTrace;
import org.jspecify.annotations.Nullable;

/** What one run's allocator gets its memory from, made from its {@link MemorySource}. */
sealed interface RunMemory {
  /** What the allocator is given. */
  DeviceMemory given();

  /**
   * A simulated device.
   *
   * @param device the device
   * @param given the device, or what stands before it
   * @param process what else the program's process asks of the device; null where that is not known
   */
  record Simulated(SimulatedDevice device, DeviceMemory given, @Nullable ProgramProcess process)
      implements RunMemory {}

  /**
   * A simulated device in a run that has a clock.
   *
   * @param device the device
   * @param simulation the clock, and who works in its time
   * @param process what else the program's process asks of the device; null where that is not known
   */
  record InTime(SimulatedDevice device, Simulation simulation, @Nullable ProgramProcess process)
      implements RunMemory {
    @Override
    public DeviceMemory given() {
      return simulation.memory();
    }
  }

  /**
   * The device of a recording.
   *
   * @param given the device
   * @param follower compares what the allocator does with the recording
   */
  record Recorded(RecordedMemory given, EffectFollower follower) implements RunMemory {}

  /**
   * Any other device.
   *
   * @param given the device
   */
  record Other(DeviceMemory given) implements RunMemory {}

  /** What a run of this set-up gets its memory from. */
  static RunMemory of(RunSetup setup) {
    return switch (setup.memory()) {
      case MemorySource.Simulated(var profile) -> {
        SimulatedDevice device = new SimulatedDevice(profile);
        ProgramProcess process = process(setup, device);
        yield setup.isInTime()
            ? new InTime(device, simulation(setup, device), process)
            : new Simulated(device, device, process);
      }
      case MemorySource.Shared(SimulatedDevice device, DeviceMemory given) ->
          new Simulated(device, given, given.equals(device) ? process(setup, device) : null);
      case MemorySource.Recorded(var effects, var start, long totalBytes) -> {
        EffectFollower follower = new EffectFollower(effects, 0);
        yield new Recorded(
            new RecordedMemory(effects, start, follower::position, totalBytes), follower);
      }
      case MemorySource.Given(DeviceMemory given) -> new Other(given);
    };
  }

  private static @Nullable ProgramProcess process(RunSetup setup, SimulatedDevice device) {
    AllocationTrace trace = setup.trace();
    return ProgramProcess.isKnown(trace) ? new ProgramProcess(trace, setup.device(), device) : null;
  }

  private static Simulation simulation(RunSetup setup, SimulatedDevice device) {
    AllocationTrace trace = setup.trace();
    Simulation simulation =
        new Simulation(trace, setup.device(), device, Roofline.of(device.profile().compute()));
    long[] driverNanos = setup.course().recordedDriverNanos();
    if (trace.workCount() == 0 && driverNanos != null) {
      simulation.keep(Pace.without(trace, driverNanos));
    }
    return simulation;
  }
}
