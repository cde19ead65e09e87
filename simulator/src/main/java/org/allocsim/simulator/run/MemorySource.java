package org.allocsim.simulator.run;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.MemoryLayout;

/** The source of memory for the allocator of a run. */
public sealed interface MemorySource {
  /**
   * A simulated device, in a fresh process: addresses, failures and times are those of the model.
   *
   * @param profile the device, with what the recording tells of the process's other memory
   */
  record Simulated(DeviceProfile profile) implements MemorySource {}

  /**
   * A simulated device that other processes use, too; the run has no clock of its own.
   *
   * @param device how this process sees it; used by this run alone
   * @param memory what the allocator is given: the device itself, or what watches the calls to it,
   *     and then nothing but the allocator's calls reaches the device
   */
  record Shared(SimulatedDevice device, DeviceMemory memory) implements MemorySource {}

  /**
   * A device that answers as it did in a recording of PyTorch's caching allocator. The run begins
   * after the trace's prologue, with the layout that existed then.
   *
   * @param effects what the recorded allocator did
   * @param start what it held before
   * @param totalBytes size of the device, −1 where it is not known
   */
  record Recorded(EffectLog effects, MemoryLayout start, long totalBytes) implements MemorySource {}

  /**
   * Any other device, such as a real one.
   *
   * @param memory used by this run alone
   */
  record Given(DeviceMemory memory) implements MemorySource {}
}
