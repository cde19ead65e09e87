package org.allocsim.reports.output;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** The folder that {@code --report} names. */
public final class ReportFolder {
  private ReportFolder() {}

  /**
   * Makes it where it is missing.
   *
   * @throws Failure where it cannot be made
   */
  public static Path make(String name) {
    try {
      return Files.createDirectories(Path.of(name));
    } catch (InvalidPathException | IOException e) {
      throw new Failure("--report " + name + ": the folder cannot be made; name another one", e);
    }
  }
}
