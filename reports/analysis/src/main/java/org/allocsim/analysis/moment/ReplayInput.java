package org.allocsim.analysis.moment;

import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.simulator.run.MemorySource;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.source.DeviceTrace;
import org.jspecify.annotations.Nullable;

/**
 * A program on one device and the allocator that serves it.
 *
 * @param trace the requests
 * @param device index of the device whose requests are served
 * @param limitBytes the allocator's own limit, −1 without one
 * @param recording what the recorded allocator did, or null where addresses are modelled
 */
public record ReplayInput(
    AllocationTrace trace,
    int device,
    AllocatorConfig config,
    PyTorchVersion version,
    DeviceProfile profile,
    long limitBytes,
    @Nullable RecordedRun recording) {

  /**
   * A recorded run whose addresses and refusals are tried first.
   *
   * @param effects what the allocator did
   * @param start what it held before
   * @param limitBytes limit that the recording shows, −1 where it shows none; it holds where no
   *     other limit is given
   */
  public record RecordedRun(EffectLog effects, MemoryLayout start, long limitBytes) {}

  /**
   * A program in its circumstances; under the recorded settings it follows what was recorded, where
   * that can hold.
   *
   * @param config settings of PyTorch's allocator
   */
  public static ReplayInput of(
      DeviceTrace input,
      ParsedConfig config,
      PyTorchVersion version,
      RecordedCircumstances circumstances) {
    int device = input.device();
    RecordedRun recorded =
        input
            .recording()
            .filter(recording -> recording.config().text().equals(config.text()))
            .filter(_ -> circumstances.canFollow(input))
            .map(recording ->
                new RecordedRun(
                    recording.effects(device),
                    recording.start(device),
                    recording.limitBytes(device)))
            .orElse(null);
    return new ReplayInput(
        input.trace(),
        device,
        config.allocator(),
        version,
        circumstances.profile().withHistory(input.addresses()),
        circumstances.limitBytes(),
        recorded);
  }

  /** The run of the whole program. */
  public RunSetup setup() {
    MemorySource memory =
        recording == null
            ? new MemorySource.Simulated(profile)
            : new MemorySource.Recorded(
                recording.effects(), recording.start(), profile.totalBytes());
    return new RunSetup(
        trace, device, RunPolicy.pytorch(config, version), effectiveLimitBytes(), memory);
  }

  /** Row after which the run begins: −1, or the last one of the prologue. */
  int startRow() {
    return recording == null ? -1 : trace.prologueCount() - 1;
  }

  /** The same with modelled addresses. */
  ReplayInput modelled() {
    return new ReplayInput(trace, device, config, version, profile, limitBytes, null);
  }

  /** Whether the limit was not given but inferred from what failed in the recording. */
  public boolean isLimitInferred() {
    return limitBytes < 0 && effectiveLimitBytes() >= 0;
  }

  /** The limit that holds. */
  long effectiveLimitBytes() {
    return limitBytes < 0 && recording != null ? recording.limitBytes() : limitBytes;
  }
}
