package org.allocsim.analysis;

import java.nio.file.Files;
import java.nio.file.Path;

/** Recordings outside the repository, of which tests make use where they are. */
public final class SharedRecordings {
  private SharedRecordings() {}

  /** Their folder: the property {@code allocsim.recordings}, else beside the checkout. */
  public static Path folder() {
    Path folder = Path.of(System.getProperty("allocsim.recordings", "../shared/recordings"));
    // Tests run in the folder of their module.
    for (int level = 0; level < 2 && !folder.isAbsolute() && !Files.exists(folder); level++) {
      folder = Path.of("..").resolve(folder);
    }
    return folder;
  }
}
