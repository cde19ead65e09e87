package org.allocsim.reports.answer.moment;

import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/** Under what settings, on what device and for which GPU a program is replayed. */
public interface ProgramSettings {
  /** Settings of PyTorch's allocator to replay under; null for the recorded ones. */
  @Nullable ParsedConfig config();

  /** The release of PyTorch whose rules apply. */
  PyTorchVersion torchVersion();

  /** The simulated device. */
  DeviceProfile profile();

  /** Whether a device was chosen. */
  boolean isDeviceGiven();

  /** The allocator's own limit in bytes for a trace, or {@link MemoryLimit#NONE}. */
  long limitBytes(ParsedConfig settings, TraceSource source);

  /** The recorded GPU that was chosen, or null. */
  @Nullable Integer deviceIndex();

  /** Whether any setting says how to replay, which needs a history. */
  boolean isReplayChosen();

  /** Opens a trace. */
  TraceSource open(String name);
}
