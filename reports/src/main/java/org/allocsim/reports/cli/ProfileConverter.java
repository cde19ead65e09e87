package org.allocsim.reports.cli;

import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of a device profile. */
final class ProfileConverter implements ITypeConverter<DeviceProfile> {
  @Override
  public DeviceProfile convert(String text) {
    try {
      return DeviceProfiles.named(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
