package org.allocsim.reports.cli.option;

import org.allocsim.analysis.program.Conditions;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.ITypeConverter;
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
            "Device to run on: a name from 'allocsim list devices', or a file written by 'allocsim"
                + " calibrate' (default: the recorded one, otherwise h100-80gb).",
        converter = NamedProfile.Converter.class)
    private NamedProfile profile;

    @Option(
        names = "--capacity",
        paramLabel = "SIZE",
        description = "A device with this much free memory, such as 16GiB.",
        converter = SizeConverter.class)
    private Long capacityBytes;
  }

  /** The device that was chosen, or the default one. */
  public DeviceProfile profile() {
    if (device == null) {
      return DeviceProfiles.defaultProfile();
    }
    return device.profile != null
        ? device.profile.profile()
        : DeviceProfiles.ofCapacity(device.capacityBytes);
  }

  /** What the options ask for; settings and the recorded device are those of other options. */
  public Conditions conditions() {
    Conditions conditions =
        Conditions.RECORDED
            .by(torchVersion.given())
            .within(limit == null ? null : limit.limit())
            .on(chosen());
    return device != null && device.profile != null && device.profile.isFile()
        ? conditions.on(device.profile.profile(), device.profile.name())
        : conditions;
  }

  /**
   * A profile and what was given for it: its name, or a file.
   *
   * @param name as it was given
   */
  private record NamedProfile(DeviceProfile profile, String name) {
    private boolean isFile() {
      return ProfileConverter.isFile(name);
    }

    static final class Converter implements ITypeConverter<NamedProfile> {
      @Override
      public NamedProfile convert(String text) {
        return new NamedProfile(new ProfileConverter().convert(text), text);
      }
    }
  }

  /** The device that was chosen; null for the recorded one. */
  public @Nullable DeviceProfile chosen() {
    return isDeviceGiven() ? profile() : null;
  }

  /** Whether a device was chosen. */
  public boolean isDeviceGiven() {
    return device != null;
  }

  /** Whether an option gives the allocator's own limit. */
  public boolean isLimitGiven() {
    return limit != null;
  }
}
