package org.allocsim.reports.input;

import java.util.Optional;
import org.allocsim.analysis.recording.RecordedAnswers;
import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.MemorySource;
import org.allocsim.simulator.run.RecordedDriverTime;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.OpenedTrace;
import org.jspecify.annotations.Nullable;

/**
 * What a command replays, and how.
 *
 * @param input the requests, with the recording that they may carry
 * @param device index of the device that is looked at
 * @param choice the allocator with all its options
 * @param config settings of PyTorch's allocator; null for other allocators
 * @param profile the device
 * @param limitBytes the allocator's own limit, −1 without one
 * @param afterOom how to go on after a request that fails
 * @param checks whether the allocator's invariants are checked before and after every request
 */
public record ReplaySetup(
    OpenedTrace input,
    int device,
    PolicyChoice choice,
    @Nullable ParsedConfig config,
    DeviceProfile profile,
    long limitBytes,
    AfterOom afterOom,
    boolean checks) {
  /** Failed requests that are kept with their messages. */
  private static final int MAX_FAILURES = 1 << 15;

  /** What is mapped together where a policy other than PyTorch's maps pages. */
  private static final long LARGE_PAGE_BYTES = 20L << 20;

  /** PyTorch's allocator on a program in its circumstances; the program goes on after a failure. */
  public static ReplaySetup pytorch(
      DeviceTrace input,
      ParsedConfig config,
      PyTorchVersion version,
      RecordedCircumstances circumstances) {
    return new ReplaySetup(
        input.opened(),
        input.device(),
        Settings.pytorch(config, version),
        config,
        circumstances.profile(),
        circumstances.limitBytes(),
        AfterOom.CONTINUE,
        false);
  }

  public AllocationTrace trace() {
    return input.trace();
  }

  public Optional<org.allocsim.workloads.source.Recording> recording() {
    return input.recording();
  }

  /** What is mapped together, which classifies slack. */
  public long largePageBytes() {
    return config == null ? LARGE_PAGE_BYTES : config.allocator().largeSegmentBytes();
  }

  /**
   * Whether the recorded answers can hold: neither the limit nor a chosen device is too small for
   * what was recorded, with the streams that the program makes. A device that was chosen need not
   * refuse what the recorded one refused, so failed requests call for the model unless a limit
   * explains them.
   *
   * @param deviceChosen whether the device is not simply taken to be the recorded one
   */
  public boolean allowsRecordedAnswers(boolean deviceChosen) {
    return RecordedAnswers.canHold(input, device, limitBytes, profile, deviceChosen);
  }

  /** The same for another program. */
  public ReplaySetup with(OpenedTrace another) {
    return new ReplaySetup(another, device, choice, config, profile, limitBytes, afterOom, checks);
  }

  /** The run, with addresses from where they are to come. */
  public RunSetup run(Addresses addresses) {
    return new RunSetup(trace(), device, RunPolicy.of(choice), limitBytes, memory(addresses))
        .with(afterOom)
        .keepingFailures(MAX_FAILURES);
  }

  /** The run at the program's own pace, where a recording gives it. */
  public RunSetup runInTime(Addresses addresses) {
    RunSetup run = run(addresses);
    return addresses == Addresses.MODELLED && recording().isPresent()
        ? run.atPaceBeside(
            RecordedDriverTime.byRow(trace(), device, recording().get().effects(device), profile))
        : run;
  }

  private MemorySource memory(Addresses addresses) {
    return switch (addresses) {
      case RECORDED -> {
        org.allocsim.workloads.source.Recording recording = recording().orElseThrow();
        yield new MemorySource.Recorded(
            recording.effects(device), recording.start(device), profile.totalBytes());
      }
      case MODELLED ->
          new MemorySource.Simulated(profile.withHistory(input.addressHistory(device)));
    };
  }
}
