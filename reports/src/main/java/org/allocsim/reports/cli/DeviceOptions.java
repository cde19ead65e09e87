package org.allocsim.reports.cli;

import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Options that say on what device, under what limit and by whose rules a program runs. */
final class DeviceOptions {
  @ArgGroup(exclusive = true)
  private Limit limit;

  @ArgGroup(exclusive = true)
  private Device device;

  @Option(
      names = "--torch-version",
      paramLabel = "VERSION",
      description = "Rules of this PyTorch release, 2.0 to 2.14 (default: 2.11).",
      converter = TorchVersionConverter.class)
  private PyTorchVersion torchVersion = PyTorchVersion.DEFAULT;

  /** The allocator's own limit. */
  private static final class Limit {
    @Option(
        names = "--memory-fraction",
        paramLabel = "F",
        description =
            "The allocator may reserve this share of the device, as "
                + "torch.cuda.set_per_process_memory_fraction(F) has it. Snapshots do not hold it.",
        converter = FractionConverter.class)
    private Double fraction;

    @Option(
        names = "--memory-limit",
        paramLabel = "SIZE",
        description = "The allocator may reserve this much, such as 24GiB.",
        converter = SizeConverter.class)
    private Long limitBytes;
  }

  /** The device. */
  private static final class Device {
    @Option(
        names = "--device",
        paramLabel = "PROFILE",
        description = "Device to run on; 'allocsim list devices' shows them (default: h100-80gb).",
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
  DeviceProfile profile() {
    if (device == null) {
      return DeviceProfiles.defaultProfile();
    }
    return device.profile != null
        ? device.profile
        : DeviceProfiles.ofCapacity(device.capacityBytes);
  }

  /** Whether a device was chosen. */
  boolean isDeviceGiven() {
    return device != null;
  }

  /** The allocator's own limit in bytes, or {@link MemoryLimit#NONE}. */
  long limitBytes() {
    if (limit == null) {
      return MemoryLimit.NONE;
    }
    if (limit.limitBytes != null) {
      return limit.limitBytes;
    }
    try {
      return MemoryLimit.ofFraction(limit.fraction, profile().totalBytes(), torchVersion);
    } catch (ConfigException e) {
      throw Failure.usage("--memory-fraction: " + e.getMessage());
    }
  }

  /** Whose rules apply. */
  PyTorchVersion torchVersion() {
    return torchVersion;
  }
}
