package org.allocsim.reports.input;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.analysis.job.Job;
import org.allocsim.analysis.job.JobException;
import org.allocsim.reports.output.Failure;
import org.allocsim.workloads.source.TraceSource;

/** Opens jobs for commands, with their failures as commands report them. */
public final class Jobs {
  private Jobs() {}

  /** Whether a name stands for a folder. */
  public static boolean isFolder(String name) {
    if (name.isEmpty() || TraceSource.isProgram(name)) {
      return false;
    }
    try {
      return Files.isDirectory(Path.of(name));
    } catch (InvalidPathException _) {
      return false;
    }
  }

  /**
   * Opens the job of a folder.
   *
   * @throws Failure where it is none
   */
  public static Job open(String folder) {
    try {
      return Job.open(Path.of(folder));
    } catch (JobException e) {
      throw new Failure(e.getMessage(), e);
    } catch (IOException e) {
      throw unreadable(folder, e);
    }
  }

  /**
   * The recordings in a folder, whichever ranks they are of.
   *
   * @throws Failure where there are none
   */
  public static List<Path> recordings(String folder) {
    try {
      return Job.recordings(Path.of(folder));
    } catch (JobException e) {
      throw new Failure(e.getMessage(), e);
    } catch (IOException e) {
      throw unreadable(folder, e);
    }
  }

  private static Failure unreadable(String folder, IOException cause) {
    return new Failure(
        folder
            + (cause instanceof AccessDeniedException
                ? ": permission denied; make the folder and its files readable"
                : ": the folder cannot be read (" + cause.getMessage() + "); copy it again"),
        cause);
  }
}
