package org.allocsim.reports.output;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.workloads.io.Unfinished;

/** A folder that an option names. What was made for it goes again where nothing came into it. */
public final class OutputFolder {
  private OutputFolder() {}

  /**
   * Makes it, and the folders around it, where they are missing.
   *
   * @throws Failure where it cannot be made
   */
  public static Path make(String option, String name) {
    Path folder;
    try {
      folder = Path.of(name);
    } catch (InvalidPathException e) {
      throw new Failure(
          option + " " + name + ": the folder cannot be created; name another one", e);
    }
    if (name.isEmpty()) {
      throw new Failure(option + ": empty folder name; name a folder");
    }
    List<Path> missing = new ArrayList<>();
    for (Path each = folder.toAbsolutePath().normalize();
        each != null && !Files.exists(each);
        each = each.getParent()) {
      missing.add(each);
    }
    try {
      Unfinished.makeFolders(missing, () -> Files.createDirectories(folder));
      return folder;
    } catch (IOException e) {
      throw new Failure(
          option + " " + name + ": the folder cannot be created; name another one", e);
    }
  }
}
