package org.allocsim.reports.input;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.analysis.job.Job;
import org.allocsim.analysis.job.JobException;
import org.allocsim.analysis.job.Ranked;
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
   * Opens several jobs that are compared.
   *
   * @throws Failure where one is no folder, or its folder is no job
   */
  public static List<Job> openAll(List<String> folders) {
    for (String each : folders) {
      if (!isFolder(each)) {
        throw Failure.usage(
            each + " is not a folder, but others are; give only job folders or only files");
      }
    }
    return folders.stream().map(Jobs::open).toList();
  }

  /**
   * The ranks that all jobs have, with their recordings in the order of the jobs.
   *
   * @throws Failure where there are none
   */
  public static List<Ranked<List<Path>>> common(List<Job> jobs) {
    List<Ranked<List<Path>>> common = Job.common(jobs);
    if (common.isEmpty()) {
      throw new Failure(
          String.join(", ", jobs.stream().map(job -> job.folder().toString()).toList())
              + ": the jobs have no rank in common; use the same rank names in all of them");
    }
    return common;
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
