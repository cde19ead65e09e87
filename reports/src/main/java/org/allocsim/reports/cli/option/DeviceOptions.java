package org.allocsim.reports.cli.option;

import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.analysis.recording.RecordedGpu;
import org.allocsim.reports.output.Failure;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that say on what device, under what limit and by whose rules a program runs. */
public final class DeviceOptions {
  @ArgGroup(exclusive = true)
  private @Nullable LimitOptions limit;

  @ArgGroup(exclusive = true)
  private @Nullable Device device;

  @Mixin private TorchVersionOption torchVersion;

  private static final class Device {
    @Option(
        names = "--device",
        paramLabel = "PROFILE",
        description =
            "Device to run on: a name that 'allocsim list devices' shows, or a file that 'allocsim"
                + " calibrate' wrote (default: the one that a recording shows, else h100-80gb).",
        converter = ProfileConverter.class)
    private DeviceProfile profile;

    @Option(
        names = "--capacity",
        paramLabel = "SIZE",
        description = "A device on which this much memory is free, such as 16GiB.",
        converter = SizeConverter.class)
    private Long capacityBytes;
  }

  /** The device that was chosen, or the default one. */
  public DeviceProfile profile() {
    if (device == null) {
      return DeviceProfiles.defaultProfile();
    }
    return device.profile != null
        ? device.profile
        : DeviceProfiles.ofCapacity(device.capacityBytes);
  }

  /**
   * The limit and the device: those that options give, else those that a recording shows.
   *
   * @param settings settings that apply unless an option gives a limit
   */
  public RecordedCircumstances circumstances(DeviceTrace input, ParsedConfig settings) {
    return RecordedCircumstances.of(
        input, limitBytes(settings, input.opened().source()), isDeviceGiven() ? profile() : null);
  }

  /** Whether a device was chosen. */
  public boolean isDeviceGiven() {
    return device != null;
  }

  /** The option of the release, whose default a trace may show. */
  public TorchVersionOption release() {
    return torchVersion;
  }

  /** Whether an option gives the allocator's own limit. */
  public boolean isLimitGiven() {
    return limit != null;
  }

  /**
   * The allocator's own limit in bytes, or {@link MemoryLimit#NONE}. A share is one of the GPU that
   * was chosen, else of the one that the trace shows.
   *
   * @param settings settings that apply unless an option gives a limit
   */
  public long limitBytes(ParsedConfig settings, TraceSource source) {
    if (limit == null) {
      double fraction = settings.allocator().perProcessMemoryFraction();
      return fraction == 1 ? MemoryLimit.NONE : limitBytes(fraction, source);
    }
    return limit.bytes() != null ? limit.bytes() : limitBytes(limit.fraction(), source);
  }

  private long limitBytes(double fraction, TraceSource source) {
    DeviceProfile gpu = isDeviceGiven() ? profile() : RecordedGpu.of(source);
    try {
      return MemoryLimit.ofFraction(fraction, gpu.totalBytes(), torchVersion());
    } catch (ConfigException e) {
      throw Failure.usage("--memory-fraction: " + e.getMessage());
    }
  }

  /** Whose rules apply. */
  public PyTorchVersion torchVersion() {
    return torchVersion.version();
  }
}
