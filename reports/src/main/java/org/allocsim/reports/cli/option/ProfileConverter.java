package org.allocsim.reports.cli.option;

import java.io.IOException;
import java.nio.file.Path;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.workloads.profile.ProfileException;
import org.allocsim.workloads.profile.ProfileFile;
import org.allocsim.workloads.profile.ShippedProfiles;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of a device profile, or of a file that holds one. */
public final class ProfileConverter implements ITypeConverter<DeviceProfile> {
  @Override
  public DeviceProfile convert(String text) {
    if (isFile(text)) {
      return fromFile(text);
    }
    try {
      return ShippedProfiles.named(text);
    } catch (IllegalArgumentException e) {
      String message = e.getMessage();
      throw new TypeConversionException(
          message.endsWith("?") ? message : message + ", or name a file that ends in .json");
    }
  }

  /** Whether a text names a file with a profile. */
  static boolean isFile(String text) {
    return text.endsWith(".json") || text.contains("/");
  }

  private static DeviceProfile fromFile(String name) {
    try {
      Path file = Inputs.require(name);
      return ProfileFile.read(file);
    } catch (ProfileException e) {
      throw new TypeConversionException(name + ": " + e.getMessage());
    } catch (IOException _) {
      throw new TypeConversionException(name + ": cannot be read; check the file");
    } catch (Failure e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
