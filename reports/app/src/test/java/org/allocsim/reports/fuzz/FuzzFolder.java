package org.allocsim.reports.fuzz;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where inputs become files: in memory where the system has a folder there, as a disk takes longer
 * to forget a file than a reader takes to read it.
 */
final class FuzzFolder {
  private static final Path MEMORY = Path.of("/dev/shm");

  private FuzzFolder() {}

  static Path get() {
    return Files.isWritable(MEMORY) ? MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
  }
}
