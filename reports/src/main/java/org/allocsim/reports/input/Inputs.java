package org.allocsim.reports.input;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.FailureReport;

/** Names of files to read. */
public final class Inputs {
  private Inputs() {}

  /**
   * The file with this name.
   *
   * @throws Failure where there is none, or it is a folder or must not be read
   */
  public static Path require(String name) {
    if (name.isEmpty()) {
      throw new Failure("empty file name; name a file");
    }
    Path file;
    try {
      file = Path.of(name);
    } catch (InvalidPathException _) {
      throw new Failure(name + ": not a file name; check the path");
    }
    if (Files.isDirectory(file)) {
      throw new Failure(name + " is a folder; name a file in it, for a job the file of one rank");
    }
    if (!Files.exists(file)) {
      throw new Failure(FailureReport.noSuchFile(name));
    }
    if (!Files.isReadable(file)) {
      throw new Failure(name + ": permission denied; make the file readable");
    }
    return file;
  }
}
