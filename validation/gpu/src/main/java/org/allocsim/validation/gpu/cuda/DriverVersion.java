package org.allocsim.validation.gpu.cuda;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The version of the NVIDIA driver, which CUDA does not tell. */
public final class DriverVersion {
  private static final Path FILE = Path.of("/proc/driver/nvidia/version");
  private static final Pattern NUMBER = Pattern.compile("\\b([0-9]{3}\\.[0-9]+(\\.[0-9]+)?)\\b");

  private DriverVersion() {}

  /** The driver's own version where it is installed in the usual place, else null. */
  public static @Nullable String installed() {
    try {
      Matcher version = NUMBER.matcher(Files.readString(FILE));
      return version.find() ? version.group(1) : null;
    } catch (IOException _) {
      return null;
    }
  }
}
